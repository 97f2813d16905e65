import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePorts } from '../../dev/lib/ports';
import { settingArguments } from '../../dev/postgres/start';
import { migrateDatabase } from '../../models/migrate';
import { realPause } from './realTime';
import { startMs } from './world';

const root = path.resolve(__dirname, '..', '..', '..');
const user = 'msgdesk';
const template = 'simulated';

/**
 * The database's clock and chance, in front of PostgreSQL's own: functions are looked for in `public, sim, pg_catalog`.
 * The clock is a file, which the simulation sets without asking the server. Inside of a transaction `now()` stays what
 * it was at the beginning.
 */
const clockSql = `
  CREATE SCHEMA sim;
  CREATE SEQUENCE sim.draws;
  CREATE FUNCTION sim.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
    BEGIN RETURN to_timestamp(pg_read_file(current_setting('sim.clock_file'))::numeric / 1000000); END $$;
  CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN coalesce(nullif(current_setting('sim.begun', true), '')::timestamptz, sim.clock_timestamp());
    END $$;
  CREATE FUNCTION sim.transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT sim.now()';
  CREATE FUNCTION sim.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT sim.clock_timestamp()';
  CREATE FUNCTION sim.random() RETURNS float8 LANGUAGE sql VOLATILE AS $$
    SELECT (hashtextextended(nextval('sim.draws')::text, 7) & 4503599627370495)::float8 / 4503599627370496 $$;
  CREATE FUNCTION sim.gen_random_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT overlay(md5(nextval('sim.draws')::text) placing '4' from 13)::uuid $$;
`;

/**
 * What comes in, noted as it is stored: who could have seen whom, which was the newest message then, and what became of
 * each try. An event itself is gone when it is done.
 */
const inboxSql = `
  CREATE TABLE sim.arrivals (event bigint, customer text, wamid text, by xid8, seen pg_snapshot, newest bigint,
    at timestamptz);
  CREATE TABLE sim.tries (event bigint, attempts int, error text, at timestamptz, done boolean);
  -- Of all events such a share fails by itself, each so many times at most: no row, no failures.
  CREATE TABLE sim.failures (share float8, times float8, code text);
  CREATE FUNCTION sim.share_of(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT (hashtextextended(what, 11) & 4503599627370495)::float8 / 4503599627370496 $$;
  CREATE FUNCTION sim.fail_event(event bigint, attempts int) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE code text := (SELECT f.code FROM sim.failures f
      WHERE sim.share_of('fails ' || event) < f.share AND attempts <= 1 + f.times * sim.share_of('times ' || event));
    BEGIN
      IF code IS NOT NULL THEN
        RAISE EXCEPTION 'event % fails at its try %', event, attempts USING ERRCODE = code;
      END IF;
    END $$;
  CREATE FUNCTION sim.note_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO sim.arrivals SELECT NEW.id, NEW.workspace_id || '/' || NEW.order_key,
          NEW.payload->'message'->>'id', pg_current_xact_id(), pg_current_snapshot(),
          (SELECT coalesce(max(id), 0) FROM messages), sim.clock_timestamp();
      ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO sim.tries VALUES (NEW.id, NEW.attempts, NEW.error, sim.clock_timestamp(), false);
      ELSE
        -- It goes in the transaction of its effects.
        PERFORM sim.fail_event(OLD.id, OLD.attempts);
        INSERT INTO sim.tries VALUES (OLD.id, OLD.attempts, NULL, sim.clock_timestamp(), true);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER simulated_event AFTER INSERT OR UPDATE OR DELETE ON inbox_events
    FOR EACH ROW EXECUTE FUNCTION sim.note_event();
`;

/** What happens to rows whose triggers a run asks for (steps.ts), with who could see whom. */
const stepsSql = `
  CREATE TABLE sim.steps (id bigint GENERATED ALWAYS AS IDENTITY, of text, op text, before jsonb, after jsonb, by xid8,
    seen pg_snapshot, begun timestamptz, at timestamptz);
  CREATE FUNCTION sim.note_step() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO sim.steps (of, op, before, after, by, seen, begun, at) VALUES (TG_TABLE_NAME, TG_OP,
        CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END,
        pg_current_xact_id(), pg_current_snapshot(), sim.now(), sim.clock_timestamp());
      RETURN NULL;
    END $$;
`;

const maxStopMs = 10_000;
/** Deadlocks are looked for soon: nothing else runs meanwhile. */
const serverSettings = {
  search_path: 'public, sim, pg_catalog',
  autovacuum: 'off',
  deadlock_timeout: '15ms',
  max_parallel_workers_per_gather: '0',
  shared_buffers: '128MB',
  checkpoint_timeout: '1h',
};

/** A PostgreSQL server of the simulation's own, with a migrated database of which each run gets a copy. */
export class SimulatedServer {
  private constructor(
    private readonly folder: string,
    /** Null where another program runs it. */
    private readonly child: ChildProcess | null,
    private readonly port: number,
    private readonly clockFile: number,
  ) {
    this.setClock(startMs);
  }

  /** Returns what another program needs to use this server while this one waits. */
  address(): string {
    return `${this.port}:${this.folder}`;
  }

  /** Keeps for other programs what the database that runs are copies of begins with. */
  keepTown(town: string): void {
    writeFileSync(path.join(this.folder, 'town.json'), town);
  }

  keptTown(): string {
    return readFileSync(path.join(this.folder, 'town.json'), 'utf8');
  }

  /** Uses the server of another program. */
  static beside(address: string): SimulatedServer {
    const [, port = '', folder = ''] = /^(\d+):(.*)$/.exec(address) ?? [];
    return new SimulatedServer(folder, null, Number(port), openSync(path.join(folder, 'clock'), 'r+'));
  }

  /** Sets the time that the database reads. */
  setClock(ms: number): void {
    writeSync(this.clockFile, String(Math.floor(ms * 1_000)).padEnd(20), 0);
  }

  static async start(): Promise<SimulatedServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'msgdesk-simulation-'));
    chmodSync(folder, 0o711);
    // Passwords cost each connection several round trips and a hash.
    const access = path.join(folder, 'access.conf');
    writeFileSync(access, 'host all all 127.0.0.1/32 trust\n', { mode: 0o644 });
    const clock = path.join(folder, 'clock');
    const clockFile = openSync(clock, 'w', 0o644);
    const [port = 0] = await freePorts(1);
    const child = spawn(process.execPath, [path.join(root, 'dist', 'dev', 'postgres', 'server.js')], {
      env: {
        ...process.env,
        PG_DIR: path.join(folder, 'postgres'),
        PG_PORT: String(port),
        PG_USER: user,
        PG_PASSWORD: 'simulated',
        PG_DURABLE: '0',
        PG_ARGUMENTS: JSON.stringify(
          settingArguments({ ...serverSettings, hba_file: access, 'sim.clock_file': clock }),
        ),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-5_000)));
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error(`PostgreSQL ended at start:\n${output}`)));
    });
    child.unref();
    child.channel?.unref();
    return new SimulatedServer(folder, child, port, clockFile);
  }

  url(database: string): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Migrates the database that runs are copies of, and lets `fill` put into it what all of them begin with. */
  async prepare(fill: (url: string) => Promise<void>): Promise<void> {
    await this.admin(`CREATE DATABASE ${template}`);
    const url = this.url(template);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(clockSql);
    await client.end();
    await migrateDatabase(url);
    await fill(url);
    const after = new pg.Client({ connectionString: url });
    await after.connect();
    await after.query(inboxSql + stepsSql);
    await after.end();
  }

  /** Makes a database for one run. */
  async copy(name: string): Promise<string> {
    await this.admin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    return this.url(name);
  }

  async drop(name: string): Promise<void> {
    await this.admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async stop(): Promise<void> {
    closeSync(this.clockFile);
    if (!this.child) return;
    const { child } = this;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await Promise.race([ended, realPause(maxStopMs)]);
    child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async admin(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
