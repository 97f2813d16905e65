import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { real } from './realTime';
import { acting, type Party, type World } from './world';

/** A statement that runs longer is asked about: it may wait for a lock. */
const askAfterMs = 10;
/** As in `core/db/connections`, where the server's own limits count real time. */
const maxLockWaitMs = 4_000;
const maxIdleInTransactionMs = 20_000;

type Callback = (error: unknown, result?: unknown) => void;
type Query = { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };

/** What is known of a connection that a simulated process has. */
type Connection = pg.Client & {
  owner?: Party;
  processID: number;
  _txStatus: string | null;
  idleSinceMs?: number;
  /** Statements that wait until the one before is answered: the driver sends them one after the other. */
  queued?: (() => void)[];
};

interface Running {
  readonly connection: Connection;
  readonly sinceMs: number;
  ended: Promise<void>;
  done: boolean;
  /** Passes the answer on. Called in a fixed order: two answers may come at the same time. */
  finish: () => void;
}

type Raw = (query: Query, done: Callback) => void;
const prototype = pg.Client.prototype as unknown as {
  query: (...args: unknown[]) => unknown;
  connect: (callback?: Callback) => unknown;
  end: (callback?: () => void) => unknown;
};
const rawQuery = prototype.query;
const rawConnect = prototype.connect;
const rawEnd = prototype.end;

const noLimits = 'SET statement_timeout TO 0; SET lock_timeout TO 0; SET idle_in_transaction_session_timeout TO 0';
/** What connections are told once they are there: no boundary of the service's. */
const isSetUp = (text: string): boolean => /^SET |^WITH ranges/.test(text);

/** Statements that are never traced by their values: these differ from run to run of the same seed. */
const shortened = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 110);

function valuesMark(values: readonly unknown[] | undefined): string {
  if (!values?.length) return '';
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 6);
}

/** The only way of simulated processes to the database: each statement waits for its turn, before and after. */
export class Statements {
  /** Whether the server takes connections. */
  isAway = false;
  /** Whether connections were lost while their processes lived. */
  hasFailed = false;
  /** Statements that the server ended because they waited for each other. */
  readonly deadlocks: string[] = [];
  count = 0;
  private readonly connections = new Set<Connection>();
  private readonly waiting = new Set<Running>();
  private readonly listeners: { readonly connection: Connection; readonly owner: Party; readonly channel: string }[] =
    [];

  private constructor(
    private readonly world: World,
    readonly monitor: pg.Client,
    private readonly setClock: (ms: number) => void,
  ) {}

  static async open(world: World, url: string, setClock: (ms: number) => void): Promise<Statements> {
    const monitor = new pg.Client({ connectionString: url });
    monitor.on('error', () => undefined);
    await monitor.connect();
    await monitor.query(`SELECT setval('sim.draws', $1)`, [1 + (world.seed % 1_000_000) * 1_000]);
    const statements = new Statements(world, monitor, setClock);
    prototype.query = function (this: Connection, ...args: unknown[]) {
      const owner = acting.getStore();
      return owner ? statements.query(this, owner, args) : rawQuery.apply(this, args);
    };
    prototype.connect = function (this: Connection, callback?: Callback) {
      const owner = acting.getStore();
      return owner ? statements.connect(this, owner, callback) : rawConnect.call(this, callback);
    };
    prototype.end = function (this: Connection, callback?: () => void) {
      return acting.getStore() ? statements.end(this, callback) : rawEnd.call(this, callback);
    };
    return statements;
  }

  async close(): Promise<void> {
    prototype.query = rawQuery;
    prototype.connect = rawConnect;
    prototype.end = rawEnd;
    for (const connection of this.connections) silence(connection);
    await this.monitor.end();
  }

  /** Ends the connections of a process that died, and waits until the server has undone what they had begun. */
  async abandon(owner: Party): Promise<void> {
    await this.terminate(
      [...this.connections].filter((connection) => connection.owner === owner),
      true,
    );
  }

  /** Ends connections while their processes live on; all, or one that is picked. */
  async cut(owner: Party | null): Promise<void> {
    this.hasFailed = true;
    const cut = [...this.connections].filter((connection) => owner === null || connection.owner === owner);
    const ended = cut.map((connection) => new Promise((resolve) => connection.once('end', resolve)));
    await this.terminate(cut, false);
    await Promise.all(ended);
  }

  private connect(connection: Connection, owner: Party, callback?: Callback): unknown {
    if (!callback)
      return new Promise((resolve, reject) =>
        this.connect(connection, owner, (error) => (error ? reject(error) : resolve(connection))),
      );
    this.world.park([owner], 'connects', () => {
      if (this.isAway) {
        callback(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
        return;
      }
      this.world.io += 1;
      connection.owner = owner;
      acting.run(owner, () =>
        rawConnect.call(connection, (error: unknown) => {
          if (error) {
            this.world.io -= 1;
            callback(error);
            return;
          }
          this.connections.add(connection);
          connection.once('end', () => this.connections.delete(connection));
          // The server's limits count real time: the simulation has its own.
          (rawQuery as Raw).call(connection, { text: noLimits }, () => {
            this.world.io -= 1;
            callback(null, connection);
          });
        }),
      );
    });
    return undefined;
  }

  private end(connection: Connection, callback?: () => void): unknown {
    if (!callback) return new Promise<void>((resolve) => this.end(connection, resolve));
    this.world.io += 1;
    rawEnd.call(connection, () => {
      this.world.io -= 1;
      callback();
    });
    return undefined;
  }

  private query(connection: Connection, owner: Party, args: unknown[]): unknown {
    const callback = args.find((arg) => typeof arg === 'function') as Callback | undefined;
    if (!callback)
      return new Promise((resolve, reject) =>
        this.query(connection, owner, [
          ...args,
          (error: unknown, result: unknown) => (error ? reject(error as Error) : resolve(result)),
        ]),
      );
    const [first, second] = args;
    const query: Query =
      typeof first === 'string'
        ? { text: first, ...(Array.isArray(second) ? { values: second } : {}) }
        : (first as Query);
    const listens = /^LISTEN (\w+)/.exec(query.text)?.[1];
    if (listens !== undefined) {
      this.listeners.push({ connection, owner, channel: listens });
      queueMicrotask(() => callback(null, { rows: [] }));
    } else if (isSetUp(query.text)) {
      this.world.io += 1;
      (rawQuery as Raw).call(connection, query, (error, result) => {
        this.world.io -= 1;
        callback(error, result);
      });
    } else {
      const within = AsyncLocalStorage.snapshot();
      const begin = (): void =>
        within(() =>
          this.world.park([owner], `${shortened(query.text)} ${valuesMark(query.values)}`, () =>
            this.run(connection, owner, query, callback, within),
          ),
        );
      if (connection.queued) connection.queued.push(begin);
      else {
        connection.queued = [];
        begin();
      }
    }
    return undefined;
  }

  /** Runs a statement until it is answered, or until it waits for a lock that somebody else holds. */
  private async run(
    connection: Connection,
    owner: Party,
    query: Query,
    callback: Callback,
    within: <T>(work: () => T) => T,
  ): Promise<void> {
    this.count += 1;
    this.setClock(this.world.nowMs);
    const begins = /^START TRANSACTION|^BEGIN/.test(query.text);
    const begun = new real.Date(this.world.nowMs).toISOString();
    const sent = begins ? { text: `${query.text.replace(/;$/, '')}; SET LOCAL sim.begun = '${begun}'` } : query;
    const running: Running = {
      connection,
      sinceMs: this.world.nowMs,
      ended: Promise.resolve(),
      done: false,
      finish: () => undefined,
    };
    running.ended = new Promise<void>((resolve) => {
      (rawQuery as Raw).call(connection, sent, (error, result) => {
        running.done = true;
        running.finish = () => {
          connection.idleSinceMs = this.world.nowMs;
          this.noteAnswer(query, error);
          within(() =>
            this.world.park([owner], error ? `fails: ${codeOf(error)}` : 'answered', () => callback(error, result)),
          );
          const next = connection.queued?.shift();
          if (next) next();
          else delete connection.queued;
        };
        resolve();
      });
    });
    await this.untilAnsweredOrBlocked(running);
    await this.lookAtWaiting();
  }

  private noteAnswer(query: Query, error: unknown): void {
    if (codeOf(error) === '40P01') this.deadlocks.push(shortened(query.text));
    const channel = /pg_notify\('(\w+)'/.exec(query.text)?.[1];
    if (channel === undefined || error) return;
    const payload = query.values?.[0];
    for (const listener of this.listeners)
      if (listener.channel === channel && listener.owner.alive)
        this.world.park(
          [listener.owner],
          'is notified',
          () => void listener.connection.emit('notification', { channel, payload }),
        );
  }

  private async untilAnsweredOrBlocked(running: Running): Promise<void> {
    for (;;) {
      await Promise.race([running.ended, new Promise((resolve) => void real.setTimeout(resolve, askAfterMs))]);
      if (running.done) {
        this.waiting.delete(running);
        running.finish();
        return;
      }
      if (await this.isBlocked(running)) {
        if (!this.waiting.has(running)) this.world.note(running.connection.owner?.name ?? '', 'waits for a lock');
        this.waiting.add(running);
        return;
      }
    }
  }

  private async isBlocked({ connection }: Running): Promise<boolean> {
    const { rows } = await this.monitor.query<{ blocked: boolean }>(
      'SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked',
      [connection.processID],
    );
    return rows[0]?.blocked === true;
  }

  /** Waits for those whose lock came free, in the order in which they began to wait. */
  private async lookAtWaiting(): Promise<void> {
    for (let before = Infinity; this.waiting.size > 0 && this.waiting.size < before;) {
      before = this.waiting.size;
      for (const running of [...this.waiting]) {
        if (!running.done && this.world.nowMs - running.sinceMs > maxLockWaitMs)
          await this.monitor.query('SELECT pg_cancel_backend($1)', [running.connection.processID]);
        if (this.waiting.has(running)) await this.untilAnsweredOrBlocked(running);
      }
    }
  }

  /** Ends transactions that a process left open for too long, as the server does. */
  async endIdleTransactions(): Promise<void> {
    const busy = new Set([...this.waiting].map(({ connection }) => connection));
    for (const connection of this.connections) {
      const { idleSinceMs = this.world.nowMs } = connection;
      if (
        connection._txStatus === 'T' &&
        !busy.has(connection) &&
        this.world.nowMs - idleSinceMs > maxIdleInTransactionMs
      ) {
        this.world.note(connection.owner?.name ?? '', 'loses a transaction that it left open');
        const ended = new Promise((resolve) => connection.once('end', resolve));
        await this.terminate([connection], false);
        await ended;
      }
    }
    await this.lookAtWaiting();
  }

  private async terminate(connections: readonly Connection[], silently: boolean): Promise<void> {
    if (connections.length === 0) return;
    const pids = connections.map(({ processID }) => processID);
    for (const connection of connections) {
      this.connections.delete(connection);
      for (const running of this.waiting) if (running.connection === connection) this.waiting.delete(running);
      if (silently) silence(connection);
    }
    for (;;) {
      const { rows } = await this.monitor.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1)',
        [pids],
      );
      if (rows.length === 0) break;
      await new Promise((resolve) => void real.setTimeout(resolve, 1));
    }
    await this.lookAtWaiting();
  }
}

/** Lets a dead process hear nothing more of its connection. */
function silence(connection: Connection): void {
  const { connection: wire } = connection as unknown as {
    connection: { removeAllListeners(): void; stream: NodeJS.EventEmitter & { destroy(): void } };
  };
  connection.removeAllListeners();
  wire.removeAllListeners();
  wire.stream.removeAllListeners();
  wire.stream.on('error', () => undefined);
  wire.stream.destroy();
}

function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? '');
}
