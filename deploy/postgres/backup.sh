#!/bin/sh
# Writes a dump of the database to BACKUP_FOLDER, and removes dumps that are older than BACKUP_KEEP_DAYS. With `daily` it
# repeats this each day, and an hour after a failure. The connection comes from the variables of libpq: PGHOST,
# PGDATABASE, PGUSER and PGPASSWORD.
set -eu
umask 077
folder=${BACKUP_FOLDER:-/backups}

if [ "${1:-}" = daily ]; then
  while :; do
    if "$0"; then sleep 86400; else sleep 3600; fi
  done
fi

# Under another name until it is complete. An incomplete one is removed: it would fill the disk.
file=$folder/gatehouse-$(date -u +%Y-%m-%dT%H%M%SZ).dump
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --file="$file.part"
mv "$file.part" "$file"
find "$folder" -name 'gatehouse-*.dump*' -mtime "+${BACKUP_KEEP_DAYS:-14}" -delete
echo "Wrote $file"
