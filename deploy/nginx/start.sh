#!/bin/sh
# Starts nginx with these arguments, and reloads it when the certificate has been replaced. A certificate that nginx
# refuses changes nothing: the old one stays in use, and the next round tries again.
set -eu
folder=${CERTIFICATES:-/run/secrets}

fingerprint() { cat "$folder"/*.pem "$folder"/*.key | cksum; }

(
  known=$(fingerprint)
  while sleep "${CERTIFICATE_CHECK_SECONDS:-600}" && kill -0 $$; do
    found=$(fingerprint)
    if [ "$found" != "$known" ] && nginx "$@" -s reload; then known=$found; fi
  done
) &
exec nginx "$@"
