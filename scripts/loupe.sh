#!/bin/sh
# The command `loupe` (`npx loupe`, or on the PATH): as `npm run loupe`, without npm's lines before the answer and in the
# folder of the caller.
set -eu
root=$(dirname "$(dirname "$(readlink -f "$0")")")
# Else looked for in the folder of the caller.
export TSX_TSCONFIG_PATH="$root/tsconfig.json"
exec node --max-semi-space-size=32 --require "$root/node_modules/tsx/dist/cjs/index.cjs" "$root/scripts/loupe.ts" "$@"
