# syntax=docker/dockerfile:1
FROM node:24.21.0-bookworm-slim AS build
# For native/, which npm ci builds.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY native native
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build && install -d -o 1000 dist/compiled
# What Node compiles for a start. It looks for this under the number of its user.
USER 1000
RUN NODE_COMPILE_CACHE=dist/compiled NODE_COMPILE_CACHE_PORTABLE=1 node dist/precompile.js \
  && chmod -R a+rX dist/compiled

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev
# With devDependencies in the file, npm would leave out what they need, too.
RUN npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.json
# Source maps and type declarations: 49 of 123 MB.
RUN find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete

# Everything belongs to root, and the service writes nothing: the root file system can be read-only.
FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
ENV PATH=/app/bin:$PATH
# MB of the young generation, instead of the default of 16: to save memory.
ENV NODE_OPTIONS=--max-semi-space-size=4
ENV NODE_COMPILE_CACHE=/app/dist/compiled NODE_COMPILE_CACHE_PORTABLE=1
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --chmod=755 bin/gatehouse.js bin/gatehouse
COPY --from=dependencies /app/sbom.json sbom.json
COPY package.json .
# The user `node`, as a number: Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["gatehouse"]
CMD ["serve"]
LABEL org.opencontainers.image.title="Gatehouse"
LABEL org.opencontainers.image.description="An authentication service that web teams run beside their application"
LABEL org.opencontainers.image.version="0.3.0"
LABEL org.opencontainers.image.licenses="MIT"
LABEL org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim"
# docker build --build-arg REVISION=$(git rev-parse HEAD)
ARG REVISION=unknown
LABEL org.opencontainers.image.revision="$REVISION"
