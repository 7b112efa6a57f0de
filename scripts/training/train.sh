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
"$PYTHON" "$here/make_views.py" --photos "$@" ${teacher:+"$teacher"} --out "$WORK/views" --name photos --rounds "$ROUNDS"
if [ "$RENDERS" != 0 ]; then
  [ -f "$WORK/renders.done" ] || node --import tsx "$here/../catalog/generate/render-views.ts" --items "$RENDERS" --views "$ROUNDS" --seed 90210 --size 224 --out "$WORK/renders"
  touch "$WORK/renders.done"
  "$PYTHON" "$here/make_views.py" --photos "$@" --renders "$WORK/renders" ${teacher:+"$teacher"} --out "$WORK/views" --name renders --rounds "$ROUNDS"
fi
[ "$DRAWINGS" = 0 ] || "$PYTHON" "$here/make_views.py" --photos "$@" --drawings "$DRAWINGS" ${teacher:+"$teacher"} --out "$WORK/views" --name drawings --rounds "$ROUNDS"
"$PYTHON" "$here/train.py" --views "$WORK/views" --out "$WORK/model.pt" --minutes "$MINUTES" --processes "$PROCESSES"
"$PYTHON" "$here/calibrate.py" --checkpoint "$WORK/model.pt" ${HELD:+--held "$HELD"} --company "$@" --catalog "$CATALOG" --query "$QUERY" --out "$WORK/calibration.json"
"$PYTHON" "$here/export.py" --checkpoint "$WORK/model.pt" --calibration "$WORK/calibration.json" --version "$VERSION" --catalog "$CATALOG" --query "$QUERY" --out "$OUT"
