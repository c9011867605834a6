#!/bin/sh
# release.sh FOLDER: what a server needs, and nothing of the build: see docs/debian.md. Run it after
# `npm ci && npm run build`. The release brings Node along, because Debian has no Node 24.
set -eu
[ $# = 1 ] || { echo 'Usage: release.sh FOLDER' >&2; exit 1; }
[ ! -e "$1" ] || { echo "$1 already exists and was not changed." >&2; exit 1; }
# A release that is not complete never has its name.
partial=$1.partial
rm -rf "$partial"
mkdir -p "$partial/bin" "$partial/deploy"
partial=$(cd "$partial" && pwd)

cd "$(dirname "$0")/../.."
cp -R package.json package-lock.json .npmrc dist CHANGELOG.md "$partial"
cp -R deploy/debian deploy/nginx deploy/systemd "$partial/deploy"
cp node_modules/node/bin/node "$partial/bin"
cp deploy/debian/gatehouse "$partial/bin"

cd "$partial"
npm ci --omit=dev
# With devDependencies in the file, npm would leave out what they need, too.
npm pkg delete devDependencies
npm sbom --sbom-format=cyclonedx > sbom.json || { echo 'npm sbom failed: use npm 11, as docs/debian.md says.' >&2; exit 1; }
# Source maps and type declarations.
find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete
# The service cannot change its own program, and every user of the server may read it.
chmod -R u+w,go-w,a+rX .
cd /
mv "$partial" "${partial%.partial}"
