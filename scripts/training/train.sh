#!/bin/sh
# From photos to the bundled model: sources, training, whitening, calibration, export. Started again, it goes on where it was stopped.
#   sh scripts/training/train.sh <folder of photos>...
# Settings, all optional, are environment variables:
#   PYTHON      interpreter with PyTorch, NumPy and OpenCV          (python3)
#   WORK        where sources and checkpoints go                     (.training)
#   OUT         where the model goes                                (workers/embedder/bundled)
#   TEACHER     ONNX file of a MobileNet to imitate                 (none: no imitation)
#   GLIMPSES    pictures in each part of which the teacher is imitated (0)
#   START       folder of an exported model to go on from            (none: from nothing)
#   RENDERS     rendered products of the catalog generator, six cut-outs of each (900)
#   HELD        folder of photos kept out of training, one per item (none), for the calibration
#   DRAWINGS    drawn items                                         (0)
#   MINUTES     length of the training, in minutes of computing     (60)
#   POWER       how much the last layer is whitened, 0 to 0.5       (0.4)
#   PROCESSES   processes that train together, one per core         (2)
#   CATALOG, QUERY  sets of crops named in crops.py                 (scales3, scales4)
#   FLOOR       confidence below which nothing is returned           (0.65)
#   VERSION     version in the manifest                             (today)
set -eu
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$0")
: "${PYTHON:=python3}" "${WORK:=.training}" "${OUT:=workers/embedder/bundled}" "${DRAWINGS:=0}" "${RENDERS:=900}" "${MINUTES:=60}" "${POWER:=0.4}" "${PROCESSES:=2}"
: "${GLIMPSES:=0}" "${FLOOR:=0.65}" "${CATALOG:=scales3}" "${QUERY:=scales4}" "${VERSION:=$(date +%Y.%-m.%-d)}"
mkdir -p "$WORK"

gather() { # name and options of the set
  name=$1
  shift
  [ -e "$WORK/sources/$name.npz" ] || "$PYTHON" "$here/make_sources.py" --out "$WORK/sources" --name "$name" ${TEACHER:+--teachers "$TEACHER"} "$@"
}

render() { # items, views, seed, folder
  if [ ! -d "$4" ]; then
    node --import tsx "$here/../catalog/generate/render-views.ts" --cutouts --items "$1" --views "$2" --seed "$3" --size 224 --out "$4.part"
    mv "$4.part" "$4"
  fi
}

gather photos --photos "$@"
gather segments --segment --photos "$@"
[ "$DRAWINGS" = 0 ] || gather drawings --drawings "$DRAWINGS"
if [ "$RENDERS" != 0 ]; then
  render "$RENDERS" 6 31337 "$WORK/renders"
  render 240 4 555 "$WORK/renders-held"
  gather renders --renders "$WORK/renders"
  held_renders=$WORK/renders-held
fi
if [ "$GLIMPSES" != 0 ] && [ ! -e "$WORK/sources/glimpses.glimpses" ]; then
  "$PYTHON" "$here/glimpses.py" --sources "$WORK/sources" --teacher "$TEACHER" --count "$GLIMPSES"
fi
if [ -n "${START:-}" ] && [ ! -e "$WORK/start.pt" ]; then
  "$PYTHON" "$here/take_up.py" --model "$START" --sources "$WORK/sources" --out "$WORK/start.pt"
fi
"$PYTHON" "$here/train.py" --sources "$WORK/sources" --out "$WORK/trained.pt" --minutes "$MINUTES" --processes "$PROCESSES" ${START:+--from "$WORK/start.pt"}
"$PYTHON" "$here/whiten.py" --sources "$WORK/sources" --checkpoint "$WORK/trained.pt" --power "$POWER" --out "$WORK/model.pt"
"$PYTHON" "$here/calibrate.py" --checkpoint "$WORK/model.pt" ${HELD:+--held "$HELD"} ${held_renders:+--renders "$held_renders"} --company "$@" --catalog "$CATALOG" --query "$QUERY" --floor "$FLOOR" --out "$WORK/calibration.json"
"$PYTHON" "$here/export.py" --checkpoint "$WORK/model.pt" --calibration "$WORK/calibration.json" --version "$VERSION" --catalog "$CATALOG" --query "$QUERY" --out "$OUT"
