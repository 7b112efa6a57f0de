#!/bin/sh
# From photos to the bundled model: views, training, calibration, export. Started again, it goes on where it was stopped.
#   sh scripts/training/train.sh <folder of photos>...
# Settings, all optional, are environment variables:
#   PYTHON      interpreter with PyTorch, NumPy and OpenCV          (python3)
#   WORK        where views and checkpoints go                      (.training)
#   OUT         where the model goes                                (workers/embedder/bundled)
#   TEACHER     ONNX file of a MobileNet to imitate                 (none: no imitation)
#   RENDERS     rendered products of the catalog generator          (1500)
#   HELD        folder of photos kept out of training, one per item (none), for the calibration
#   DRAWINGS    drawn items                                         (6000)
#   ROUNDS      views of each source, the clean one included        (6)
#   MINUTES     length of the training                              (60)
#   PROCESSES   processes that train together, one per core         (2)
#   CATALOG, QUERY  sets of crops named in crops.py                 (scales3, scales4)
#   VERSION     version in the manifest                             (today)
set -eu
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(dirname "$0")
: "${PYTHON:=python3}" "${WORK:=.training}" "${OUT:=workers/embedder/bundled}" "${DRAWINGS:=6000}" "${RENDERS:=1500}" "${ROUNDS:=6}" "${MINUTES:=60}" "${PROCESSES:=2}"
: "${CATALOG:=scales3}" "${QUERY:=scales4}" "${VERSION:=$(date +%Y.%-m.%-d)}"
mkdir -p "$WORK"
teacher=${TEACHER:+"--teacher=$TEACHER"}

views() { # name and options of the set
  name=$1
  shift
  "$PYTHON" "$here/make_views.py" --out "$WORK/views" --name "$name" --rounds "$ROUNDS" ${teacher:+"$teacher"} "$@"
}

render() { # items, views, seed, folder
  if [ ! -d "$4" ]; then
    node --import tsx "$here/../catalog/generate/render-views.ts" --items "$1" --views "$2" --seed "$3" --size 224 --out "$4.part"
    mv "$4.part" "$4"
  fi
}

views photos --photos "$@"
[ "$DRAWINGS" = 0 ] || views drawings --drawings "$DRAWINGS" --photos "$@"
if [ "$RENDERS" != 0 ]; then
  render "$RENDERS" "$ROUNDS" 90210 "$WORK/renders"
  render 250 4 555 "$WORK/renders-held"
  views renders --renders "$WORK/renders" --photos "$@"
  held_renders=$WORK/renders-held
fi
"$PYTHON" "$here/train.py" --views "$WORK/views" --out "$WORK/model.pt" --minutes "$MINUTES" --processes "$PROCESSES"
"$PYTHON" "$here/calibrate.py" --checkpoint "$WORK/model.pt" ${HELD:+--held "$HELD"} ${held_renders:+--renders "$held_renders"} --company "$@" --catalog "$CATALOG" --query "$QUERY" --out "$WORK/calibration.json"
"$PYTHON" "$here/export.py" --checkpoint "$WORK/model.pt" --calibration "$WORK/calibration.json" --version "$VERSION" --catalog "$CATALOG" --query "$QUERY" --out "$OUT"
