#!/bin/sh
# From photos to the bundled model: sources, fine-tuning, joining, export. Its calibration is fitted by `npm run bench -- vision --confidence --write`. Started again, it repeats no finished step.
#   sh scripts/lab/training/train.sh <folder of photos>...
# Settings, all optional, are environment variables:
#   PYTHON    interpreter with the packages of requirements.txt      (python3)
#   WORK      where sources and checkpoints go                        (.training)
#   OUT       where the model goes                                   (workers/embedder/bundled)
#   EARLIER   the model that the new one is joined with              (workers/embedder/bundled-earlier)
#   DRAWINGS  watches and bags drawn by `loupe catalog generate`       (600)
#   MINUTES   length of each fine-tuning by the clock; their weights are averaged  (36 85)
#   MIX       share of the tuned weights in the mean with the pretrained ones (0.8)
#   SHARE     of the earlier network in the similarity               (0.4)
#   VERSION   version in the manifest                                (today)
set -eu
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$0")
: "${PYTHON:=python3}" "${WORK:=.training}" "${OUT:=workers/embedder/bundled}" "${EARLIER:=workers/embedder/bundled-earlier}" "${DRAWINGS:=600}" "${MINUTES:=36 85}"
: "${MIX:=0.8}" "${SHARE:=0.4}" "${VERSION:=$(date +%Y.%-m.%-d)}"
mkdir -p "$WORK"

gather() { # name and options of the set
  name=$1
  shift
  [ -e "$WORK/sources/$name.npz" ] || "$PYTHON" "$here/sources.py" --out "$WORK/sources" --name "$name" "$@"
}

gather photos --photos "$@"
gather segments --segment --photos "$@"
[ -e "$WORK/sources/drawings.npz" ] || npm run --silent loupe -- catalog generate --products "$DRAWINGS" --seed 1 --images --out "$WORK/drawn"
gather drawings --photos "$WORK/drawn/images"
seed=0
for length in $MINUTES; do
  seed=$((seed + 1))
  [ -e "$WORK/tuned$seed.pt" ] || "$PYTHON" "$here/train.py" --sources "$WORK/sources" --out "$WORK/tuned$seed.pt" --minutes "$length" --seed "$seed"
done
"$PYTHON" "$here/export.py" --sources "$WORK/sources" --checkpoint "$WORK"/tuned[0-9]*.pt --earlier "$EARLIER" --mix "$MIX" --share "$SHARE" \
  --drawings "$WORK/drawn/images" --version "$VERSION" --out "$OUT"
