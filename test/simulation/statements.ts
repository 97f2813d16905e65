import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { real, realTurn } from './realTime';
import { Journal } from './journal';
import { asOlder } from './versions';
import {
  arrivalOf,
  asLockTimeout,
  codeOf,
  hangUp,
  hasChanged,
  isSetUp,
  noLimits,
  passOn,
  shortened,
  silence,
  valuesMark,
} from './wire';
import type { Callback, Connection, Query } from './wire';
import { acting, looking, type Party, type World } from './world';

/** A statement that runs longer is asked about: it may wait for a lock. */
const askAfterMs = 10;
/** As in `core/db/connections`, where the server's own limits count real time. */
const maxLockWaitMs = 4_000;
const maxIdleInTransactionMs = 20_000;
/** In real time: what neither ends nor waits for anybody is a fault of the simulation itself. */
const maxAnswerMs = 15_000;

interface Running {
  readonly connection: Connection;
  readonly text: string;
  readonly sinceMs: number;
  ended: Promise<void>;
  done: boolean;
  /** Passes the answer on. Called in a fixed order: two answers may come at the same time. */
  finish: () => void;
  /** It waited too long for a lock. */
  isCancelled?: boolean;
}

/** Something that happened to a process from outside, which explains what it could not do. */
interface Trouble {
  readonly party: Party;
  readonly atMs: number;
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

/** The only way of simulated processes to the database: each statement waits for its turn, before and after. */
export class Statements {
  /** Whether the server takes connections. */
  isAway = false;
  /** Processes that the network keeps from the server, and until when. */
  readonly keptAway = new Map<Party, number>();
  /** Connections that were lost, and locks that were not waited for any longer, while their processes lived. */
  readonly troubles: Trouble[] = [];
  readonly journal: Journal;
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
  ) {
    this.journal = new Journal(world);
  }

  static async open(world: World, url: string, setClock: (ms: number) => void): Promise<Statements> {
    // The run before has left it at its own end.
    setClock(world.nowMs);
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
    for (const connection of this.connections) {
      silence(connection);
      hangUp(connection);
    }
    await this.monitor.end();
  }

  /** Ends the connections of a process that died, and waits until the server has undone what they had begun. */
  async abandon(owner: Party): Promise<void> {
    await this.terminate(
      [...this.connections].filter((connection) => connection.owner === owner),
      true,
    );
  }

  /** Whether the database kept a process from something since a time. */
  hasTroubled(owner: Party, sinceMs: number): boolean {
    return this.troubles.some(({ party, atMs }) => party === owner && atMs >= sinceMs);
  }

  private noteTrouble(owner: Party | undefined): void {
    if (owner) this.troubles.push({ party: owner, atMs: this.world.nowMs });
  }

  /** Ends connections while their processes live on; all, or those of one process. */
  async cut(owner: Party | null): Promise<void> {
    const cut = [...this.connections].filter((connection) => owner === null || connection.owner === owner);
    for (const connection of cut) this.noteTrouble(connection.owner);
    for (const cutOff of new Set(cut.map((connection) => connection.owner)))
      if (cutOff) this.journal.excuse(cutOff, 'cut off');
    await this.terminate(cut, false);
  }

  private connect(connection: Connection, owner: Party, callback?: Callback): unknown {
    if (!callback)
      return new Promise((resolve, reject) =>
        this.connect(connection, owner, (error) => (error ? reject(error) : resolve(connection))),
      );
    this.world.park([owner], 'connects', () => {
      if (this.isAway || (this.keptAway.get(owner) ?? 0) > this.world.nowMs) {
        this.noteTrouble(owner);
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
    const given: Query =
      typeof first === 'string'
        ? { text: first, ...(Array.isArray(second) ? { values: second } : {}) }
        : (first as Query);
    // Limits that count real time would end a statement whenever this machine is busy.
    const text = given.text.replace('statement_timeout', 'sim.statement_timeout');
    const query = { ...given, text: owner.isOlder ? asOlder(text) : text };
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
          this.world.park(
            [owner],
            `${shortened(query.text)} ${valuesMark(query)}`,
            () => this.run(connection, owner, query, callback, within),
            this.world.lag(),
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
      text: query.text,
      sinceMs: this.world.nowMs,
      ended: Promise.resolve(),
      done: false,
      finish: () => undefined,
    };
    running.ended = new Promise<void>((resolve) => {
      (rawQuery as Raw).call(connection, sent, (error, result) => {
        running.done = true;
        const fault = running.isCancelled === true && error ? asLockTimeout(error) : error;
        running.finish = () => {
          connection.idleSinceMs = this.world.nowMs;
          this.noteAnswer(query, fault);
          if (!fault && hasChanged(query, result)) this.world.stir();
          this.journal.note(connection, owner, { ...query, isOpen: connection._txStatus !== 'I' }, fault, result);
          const arrive = (): void => passOn(connection, callback, fault, result);
          within(() => {
            // What a look goes on with is its next statement, which has a boundary of its own.
            if (looking.getStore() === true) arrive();
            else this.world.park([owner], arrivalOf(fault, query), arrive, this.world.lag());
          });
          const next = connection.queued?.shift();
          if (next) next();
          else delete connection.queued;
        };
        resolve();
      });
    });
    await this.untilAnsweredOrBlocked(running);
    // Locks come free where a transaction ends.
    if (connection._txStatus === 'I') await this.lookAtWaiting();
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
          () => void acting.run(listener.owner, () => listener.connection.emit('notification', { channel, payload })),
        );
  }

  private async untilAnsweredOrBlocked(running: Running): Promise<void> {
    const until = real.now() + maxAnswerMs;
    for (;;) {
      if (real.now() > until)
        throw new Error(`${running.connection.owner?.name ?? ''} is not answered: ${shortened(running.text)}`);
      await Promise.race([running.ended, new Promise((resolve) => void real.setTimeout(resolve, askAfterMs))]);
      if (running.done) {
        this.waiting.delete(running);
        running.finish();
        // Before the next one is answered, however soon that is.
        await realTurn();
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
        if (!running.done && (await this.isBlocked(running))) continue;
        if (this.waiting.has(running)) await this.untilAnsweredOrBlocked(running);
      }
    }
  }

  private async cancel(running: Running): Promise<void> {
    running.isCancelled = true;
    this.noteTrouble(running.connection.owner);
    await this.monitor.query('SELECT pg_cancel_backend($1)', [running.connection.processID]);
    await running.ended;
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
        this.noteTrouble(connection.owner);
        await this.terminate([connection], false);
      }
    }
    const impatient = [...this.waiting].filter(({ sinceMs }) => this.world.nowMs - sinceMs > maxLockWaitMs);
    for (const running of impatient) {
      await this.cancel(running);
      await this.untilAnsweredOrBlocked(running);
    }
    if (impatient.length > 0) await this.lookAtWaiting();
  }

  /**
   * Ends connections, one after the other: who lives hears of each in the same order. Those that wait for a lock go
   * first, and before who holds it, whose end would let them go on: who holds a lock and is hung up on lets go of it
   * before a busy server has ended those who wait.
   */
  private async terminate(connections: readonly Connection[], silently: boolean): Promise<void> {
    const interrupted = [...this.waiting].filter(({ connection }) => connections.includes(connection)).reverse();
    for (const running of interrupted) this.waiting.delete(running);
    for (const connection of connections) {
      this.connections.delete(connection);
      this.journal.forget(connection);
      if (silently) silence(connection);
      else connection.isCut = true;
    }
    const left = new Set([...interrupted.map(({ connection }) => connection), ...connections]);
    const ended = new Map(
      silently ? [] : connections.map((one) => [one, new Promise((resolve) => one.once('end', resolve))]),
    );
    while (left.size > 0) {
      const connection = await this.lastInLine([...left]);
      left.delete(connection);
      await this.endBackend(connection);
      if (silently) hangUp(connection);
      const running = silently ? undefined : interrupted.find((one) => one.connection === connection);
      await running?.ended;
      running?.finish();
      await ended.get(connection);
      await realTurn();
    }
    await this.lookAtWaiting();
  }

  /** Returns the first of some connections that none of the others waits for. */
  private async lastInLine(connections: readonly Connection[]): Promise<Connection> {
    const { rows } = await this.monitor.query<{ pid: number }>(
      'SELECT unnest(pg_blocking_pids(pid)) AS pid FROM unnest($1::int[]) AS waiting(pid)',
      [connections.map(({ processID }) => processID)],
    );
    const waitedFor = new Set(rows.map(({ pid }) => pid));
    const last = connections.find(({ processID }) => !waitedFor.has(processID)) ?? connections[0];
    if (!last) throw new Error('there is no connection');
    return last;
  }

  /** Returns when the server has undone what a connection had begun. */
  private async endBackend({ processID }: Connection): Promise<void> {
    for (;;) {
      const { rows } = await this.monitor.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1',
        [processID],
      );
      if (rows.length === 0) return;
      await new Promise((resolve) => void real.setTimeout(resolve, 1));
    }
  }
}
