#!/bin/sh
# Writes PgBouncer's files from the environment and becomes it. Transaction mode: a connection of PostgreSQL is lent for one
# transaction, so 1,000 connections of the service share POOL_SIZE of them.
set -eu
umask 077
folder=${POOLER_FOLDER:-/tmp/pooler}
mkdir -p "$folder"
printf '"%s" "%s"\n' "$DATABASE_USER" "$DATABASE_PASSWORD" > "$folder/users.txt"
cat > "$folder/pgbouncer.ini" <<END
[databases]
; What the service would tell each connection of its own (api/core/db/connections.ts); here the pooler has to.
$DATABASE_NAME = host=$POSTGRES_HOST port=$POSTGRES_PORT dbname=$DATABASE_NAME connect_query='SET statement_timeout TO 5000; SET lock_timeout TO 4000; SET idle_in_transaction_session_timeout TO 20000; SET default_transaction_isolation TO ''read committed'''

[pgbouncer]
listen_addr = ${LISTEN_ADDRESS:-0.0.0.0}
listen_port = ${LISTEN_PORT:-6432}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $folder/users.txt
; SHOW POOLS and the like on the console, which is the database pgbouncer (docs/runbook.md).
stats_users = $DATABASE_USER
pool_mode = transaction
max_client_conn = ${MAX_CLIENTS:-1000}
default_pool_size = ${POOL_SIZE:-40}
; Sooner than the service's own limits, so that a request ends with its 503 while PostgreSQL is away, and goes on soon after.
query_wait_timeout = 4
server_connect_timeout = 3
server_login_retry = 1
server_idle_timeout = 60
tcp_keepalive = 1
tcp_keepidle = 60
tcp_keepintvl = 10
tcp_keepcnt = 3
log_connections = 0
log_disconnections = 0
END
exec pgbouncer ${POOLER_USER:+-u "$POOLER_USER"} "$folder/pgbouncer.ini"
