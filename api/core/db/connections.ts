import { Socket } from 'node:net';
import pg from 'pg';

/**
 * What holds for every statement of the service, in milliseconds: how long it may run, how long it may wait for a lock
 * (a little less, so that the reason shows), and after which time a process that stops inside a transaction (frozen,
 * cut off) loses it, and the row locks with it.
 */
export const sessionLimits = {
  statement_timeout: 5_000,
  lock_timeout: 4_000,
  idle_in_transaction_session_timeout: 20_000,
} as const;
/**
 * Either side finds out within about 90 s that the other's machine is gone, instead of after the system's two hours.
 */
const keepAliveSeconds = { idle: 60, interval: 10, count: 3 };

const isolation = `SET default_transaction_isolation TO 'read committed'`;
/** What every connection is told once, in one round trip rather than one per transaction. */
const connectionSettings = `${isolation};
  SET tcp_keepalives_idle TO ${keepAliveSeconds.idle};
  SET tcp_keepalives_interval TO ${keepAliveSeconds.interval};
  SET tcp_keepalives_count TO ${keepAliveSeconds.count}`;

/**
 * SQL: what a pooler in transaction mode has to tell each of its connections, since a session's settings would stray.
 */
export const poolerSettings = [
  ...Object.entries(sessionLimits).map(([name, value]) => `SET ${name} TO ${value}`),
  isolation,
].join('; ');

/**
 * How connections are opened. Behind a pooler in transaction mode (`pooled`) they set nothing: it would stay with a
 * connection of the server, which the next statement may not get. The pooler sets the same (`poolerSettings`).
 */
export function databaseConnection(options: {
  readonly name: string;
  readonly waitMs: number;
  readonly pooled: boolean;
}): {
  readonly dialectOptions: object;
  afterConnect(connection: unknown): Promise<void>;
} {
  return {
    dialectOptions: {
      application_name: options.name,
      ...(options.pooled ? {} : sessionLimits),
      connectionTimeoutMillis: options.waitMs,
      keepAlive: true,
    },
    async afterConnect(connection) {
      const client = connection as pg.Client;
      const { stream } = client.connection;
      if (stream instanceof Socket) stream.setKeepAlive(true, keepAliveSeconds.idle * 1_000);
      if (!options.pooled) await client.query(connectionSettings);
    },
  };
}

/** Returns as sentences the limits that connections of a pooler lack, because its configuration may not set them. */
export async function missingLimits(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = '0' ORDER BY name`,
      [Object.keys(sessionLimits)],
    );
    return rows.map(({ name }) => `connections of the pooler have no ${name}: let it run "${poolerSettings}" on each`);
  } finally {
    await client.end();
  }
}
