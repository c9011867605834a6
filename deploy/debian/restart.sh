#!/bin/sh
# restart.sh [PORT…]: restarts the instances one after the other. nginx sends nothing to the one that restarts. If an
# instance does not start, the others are left as they are.
set -eu
[ $# -gt 0 ] || set -- 3001 3002
for port; do
  /etc/nginx/instance.sh down "127.0.0.1:$port"
  systemctl reload nginx
  systemctl restart "gatehouse@$port"
  curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-connrefused --output /dev/null \
    "http://127.0.0.1:$port/health/serving"
  /etc/nginx/instance.sh up "127.0.0.1:$port"
  systemctl reload nginx
done
