import pg from 'pg';

/**
 * How a statement fails: `unreachable`, the connection breaks before the server sees it; `lost`, the server does it and
 * the connection breaks before it can say so; `refused`, the server refuses it and the connection stays.
 */
export const faultKinds = ['unreachable', 'lost', 'refused'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Breaks statements of the connections that carry one application name, BEGIN and COMMIT included. */
export interface Faults {
  /** The statement of this number from now on fails. */
  arm(at: number, kind: FaultKind): void;
  /** Lets everything pass again; gives the statement that failed, or null where so many were not sent. */
  disarm(): string | null;
  restore(): void;
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Done = (error: unknown, result?: unknown) => void;

/** Puts the faults in place. */
export function injectFaults(applicationName: string): Faults {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  let armed: { at: number; kind: FaultKind; seen: number; hit: string | null } | null = null;

  async function fail(client: pg.Client, kind: FaultKind, given: readonly unknown[]): Promise<never> {
    if (kind === 'refused') await original.call(client, 'SELECT 1 / 0');
    if (kind === 'lost') await original.call(client, ...given);
    const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
    throw new Error('Connection terminated unexpectedly');
  }

  prototype.query = function query(this: pg.Client, ...args: unknown[]): unknown {
    const { application_name: name } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters;
    if (!armed || name !== applicationName || armed.hit !== null) return original.apply(this, args);
    armed.seen += 1;
    if (armed.seen !== armed.at) return original.apply(this, args);
    const [first] = args;
    armed.hit = typeof first === 'string' ? first : String((first as { text?: unknown }).text);
    const done = args.at(-1);
    if (typeof done !== 'function') return fail(this, armed.kind, args);
    return void fail(this, armed.kind, args.slice(0, -1)).catch((error: unknown) => (done as Done)(error));
  };

  return {
    arm(at, kind) {
      armed = { at, kind, seen: 0, hit: null };
    },
    disarm() {
      const hit = armed?.hit ?? null;
      armed = null;
      return hit;
    },
    restore() {
      prototype.query = original;
    },
  };
}
