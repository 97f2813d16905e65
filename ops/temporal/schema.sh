#!/bin/sh
# Brings the schemas of Temporal's two databases to the version of temporal-sql-tool. The databases exist already, and this may
# run again at any time. SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN come from the environment.
set -eu
for name in temporal:temporal temporal_visibility:visibility; do
  database=${name%%:*}
  schema=postgresql/v12/${name##*:}
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "$schema"
done
