#!/bin/sh
# instance.sh down|up ADDRESS: after the next reload, nginx sends no request to an instance that is down.
# Without this, a POST that is sent at the moment when an instance closes its port is lost: nginx never repeats it.
set -eu
file=$(dirname "$0")/site/upstreams.conf
case $#${1-} in
  2down) mark=' down' ;;
  2up) mark= ;;
  *) echo 'Usage: instance.sh down|up ADDRESS' >&2; exit 1 ;;
esac
line="server $(printf %s "$2" | sed 's/[.]/[.]/g') "
grep -q "$line" "$file" || { echo "$file has no server $2" >&2; exit 1; }
changed=$(sed "/$line/s/\( down\)*;/$mark;/" "$file")
printf '%s\n' "$changed" > "$file"
