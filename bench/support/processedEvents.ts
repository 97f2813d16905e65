/**
 * SQL: keeps what was processed of the platform's events, with the time, in a table of its own: the product removes an
 * event with its effects.
 */
export const keepProcessedSql = `
  CREATE UNLOGGED TABLE IF NOT EXISTS processed_events AS
    SELECT *, now() AS processed_at FROM inbox_events LIMIT 0;
  CREATE OR REPLACE FUNCTION keep_processed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO processed_events SELECT *, clock_timestamp() FROM gone WHERE state = 'new';
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER keep_processed AFTER DELETE ON inbox_events REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION keep_processed()`;
