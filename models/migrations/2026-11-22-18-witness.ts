import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-18-witness';

const statements = `
-- One row that no copy brings along: a table without a log is empty after a crash, and in whatever was started from a
-- backup. Nothing is sent until the database has shown that it is the one that Temporal remembers.
CREATE UNLOGGED TABLE delivery_presence (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
);
INSERT INTO delivery_presence DEFAULT VALUES;

-- A word that changes every minute, here and in the memory of a workflow: a database that has an older one went back.
CREATE TABLE delivery_witnesses (
  deployment varchar(255) PRIMARY KEY,
  witness uuid NOT NULL,
  -- The one before: Temporal may not have heard of the last change.
  earlier uuid,
  -- The operator accepted the database as it is: Temporal learns its word instead of comparing it.
  accepted boolean NOT NULL DEFAULT false,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A dump that is restored makes its tables anew, with other object ids.
UPDATE delivery_fence
SET database_identity = database_identity() || '/' || 'delivery_fence'::regclass::oid::text
WHERE database_identity = database_identity();
CREATE OR REPLACE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $function$
  SELECT system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || 'delivery_fence'::regclass::oid::text
  FROM pg_control_system()
$function$;
`;

/** Lets the fence notice also a base backup, a snapshot and a dump that were restored. */
export const steps: readonly Step[] = [transaction(statements)];
