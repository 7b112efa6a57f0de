#!/bin/sh
# Ends the server whose process id stands first in PID_FILE, if it works in FOLDER, and removes FOLDER.
# usage: end-server.sh FOLDER PID_FILE SIGNAL
folder=$1
pid_file=$2
signal=$3

pid=$(head -n 1 "$pid_file" 2>/dev/null)
case $pid in
  '' | *[!0-9]*) pid= ;;
esac

if [ -n "$pid" ]; then
  # An old id may belong to somebody else by now.
  case $(readlink "/proc/$pid/cwd") in
    "$folder" | "$folder"/*)
      children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
      kill -s "$signal" "$pid" 2>/dev/null
      # What was paused must go on to hear the signal. One word per process, so no quotes.
      kill -s CONT "$pid" $children 2>/dev/null
      tenths=0
      while kill -0 "$pid" 2>/dev/null && [ "$tenths" -lt 50 ]; do
        sleep 0.1
        tenths=$((tenths + 1))
      done
      kill -s KILL "$pid" $children 2>/dev/null
      ;;
  esac
fi
rm -rf -- "$folder"
