#!/bin/sh
# Becomes the Temporal server. Its parts find each other by an address, so it has to be the container's own.
set -eu
BIND_ON_IP=${BIND_ON_IP:-$(hostname -i | cut -d ' ' -f 1)}
export BIND_ON_IP
exec temporal-server --root "$(dirname "$0")" --config config --env server --allow-no-auth start
