# An image of Parley for one node, to be built by whoever runs it:
#
#   docker build -t parley .
#
# Do not publish the image: FFmpeg in it is under the GPL version 3 and contains fdk-aac, whose licence does not go with that
# (docs/decisions/images.md). docs/containers.md says how to run it.

# What builds: any image with Node 20 or newer and npm, of the system below.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
# What runs: a Debian, or another Linux with glibc and apt.
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
RUN node scripts/image/assemble.mjs /opt/parley

FROM ${BASE_IMAGE}
# tini passes signals on and buries orphans; setpriv and chrt are of util-linux, which is there.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 parley \
  && useradd --uid 10001 --gid parley --home-dir /data --no-create-home --shell /usr/sbin/nologin parley \
  && install -d -o parley -g parley -m 0700 /data
COPY --from=build /opt/parley /opt/parley
# The program belongs to root: the server cannot change it. The bill of materials gets the packages of this stage too.
RUN ln -s /opt/parley/bin/parley /usr/local/bin/parley \
  && /opt/parley/bin/node /opt/parley/scripts/image/debian-packages.mjs /opt/parley/sbom.cdx.json

USER 10001:10001
WORKDIR /opt/parley
ENV PARLEY_DATA_DIR=/data NODE_ENV=production
VOLUME /data
EXPOSE 8443/tcp 8442/tcp 40000-40099/udp
# Ends sessions and finishes recordings; give it a minute (docker stop --time 60).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/opt/parley/bin/node", "/opt/parley/scripts/image/healthy.mjs"]
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/parley/bin/node", "/opt/parley/scripts/serve.mjs"]
