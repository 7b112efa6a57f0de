#!/bin/sh
# The command `loupe` (`npx loupe`, or on the PATH): as `npm run loupe`, without npm's lines before the answer and in the
# folder of whoever calls it.
set -eu
scripts=$(dirname "$(readlink -f "$0")")
exec node --max-old-space-size=176 --max-semi-space-size=16 --no-parallel-scavenge --heap-growing-percent=100 \
  --import "file://$scripts/../node_modules/tsx/dist/loader.mjs" "$scripts/loupe.ts" "$@"
