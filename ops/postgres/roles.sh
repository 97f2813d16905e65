#!/bin/sh
# Makes the roles and databases of the service and of Temporal, once, in an empty cluster. Neither role is a superuser, may make
# databases or roles, or may connect to the other's database.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --set ON_ERROR_STOP=1 \
  --set service="$DATABASE_PASSWORD" --set engine="$TEMPORAL_DATABASE_PASSWORD" <<'END'
CREATE ROLE msgdesk LOGIN PASSWORD :'service';
CREATE ROLE temporal LOGIN PASSWORD :'engine';
CREATE DATABASE msgdesk OWNER msgdesk;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE CONNECT ON DATABASE msgdesk, temporal, temporal_visibility FROM PUBLIC;
END
