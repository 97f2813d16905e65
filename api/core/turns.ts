import { ConnectionAcquireTimeoutError, type Sequelize } from 'sequelize';

/** A connection pool at one moment. */
export interface PoolState {
  readonly size: number;
  readonly available: number;
  readonly using: number;
  readonly waiting: number;
}

/** In whose turn something is done. */
export interface Turn {
  readonly workspaceId: number;
  /** Nobody waits for it. */
  readonly background: boolean;
  /** It ends what was accepted: among its workspace's it goes before what is accepted anew. */
  readonly ending: boolean;
}

/** Somebody who waits for a place. */
type Waiter = () => void;

/** Background work gets no more than this part of the places, so that what people wait for finds one soon. */
const mostOfBackground = 2 / 3;
/** After so many places for what people wait for one goes to background work, which must come to its end, too. */
const foregroundInARow = 4;

/** Who waits in one workspace, those first who end what was accepted. */
class Waiters {
  private readonly ending = new Set<Waiter>();
  private readonly others = new Set<Waiter>();

  get size(): number {
    return this.ending.size + this.others.size;
  }

  add(waiter: Waiter, isEnding: boolean): void {
    (isEnding ? this.ending : this.others).add(waiter);
  }

  delete(waiter: Waiter): void {
    if (!this.ending.delete(waiter)) this.others.delete(waiter);
  }

  first(): Waiter | undefined {
    const [waiter] = this.ending.size > 0 ? this.ending : this.others;
    return waiter;
  }
}

/** Those who wait, in the turns of their workspaces. */
class Queue {
  /** By workspace; the one whose turn comes last at the end. */
  private readonly byWorkspace = new Map<number, Waiters>();

  get size(): number {
    return [...this.byWorkspace.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  add(workspaceId: number, waiter: Waiter, isEnding: boolean): void {
    const waiters = this.byWorkspace.get(workspaceId) ?? new Waiters();
    waiters.add(waiter, isEnding);
    this.byWorkspace.set(workspaceId, waiters);
  }

  remove(workspaceId: number, waiter: Waiter): void {
    const waiters = this.byWorkspace.get(workspaceId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.byWorkspace.delete(workspaceId);
  }

  shift(): Waiter | undefined {
    const [entry] = this.byWorkspace;
    if (!entry) return undefined;
    const [workspaceId, waiters] = entry;
    const waiter = waiters.first();
    if (waiter) waiters.delete(waiter);
    // Its next one waits until the others have had their turn.
    this.byWorkspace.delete(workspaceId);
    if (waiters.size > 0) this.byWorkspace.set(workspaceId, waiters);
    return waiter;
  }
}

/**
 * Places that are given to those who wait in turns: each workspace gets one after the other. So a workspace with a
 * hundred statements under way holds up another one's by a single turn, and not by a hundred. What people wait for goes
 * before what is done in the background. What is done for no workspace (credentials, claims) goes first: it is short,
 * and the others come of it.
 */
export class Turns {
  private readonly ofNobody = new Queue();
  private readonly foreground = new Queue();
  private readonly background = new Queue();
  private free: number;
  private readonly mostBackground: number;
  private inBackground = 0;
  private inARow = 0;

  constructor(size: number) {
    this.free = size;
    this.mostBackground = Math.max(1, Math.floor(size * mostOfBackground));
  }

  /** How many wait. */
  get waiting(): number {
    return this.ofNobody.size + this.foreground.size + this.background.size;
  }

  /** Enters at once, or in its turn; false where that did not come in time. Whoever entered must leave. */
  enter(turn: Turn | null, waitMs: number): Promise<boolean> {
    const isBackground = turn?.background === true;
    if (this.free > 0 && (!isBackground || this.inBackground < this.mostBackground)) {
      this.take(isBackground);
      return Promise.resolve(true);
    }
    const queue = turn === null ? this.ofNobody : isBackground ? this.background : this.foreground;
    const workspaceId = turn?.workspaceId ?? 0;
    return new Promise((resolve) => {
      const waiter = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        queue.remove(workspaceId, waiter);
        resolve(false);
      }, waitMs);
      queue.add(workspaceId, waiter, turn?.ending === true);
    });
  }

  /** Leaves the place to whose turn it is; `turn` is the one that entered. */
  leave(turn: Turn | null): void {
    this.free += 1;
    if (turn?.background === true) this.inBackground -= 1;
    const next = this.ofNobody.shift();
    if (next) {
      this.take(false);
      next();
      return;
    }
    const inTurn = this.inARow < foregroundInARow;
    const foreground = inTurn ? this.foreground.shift() : undefined;
    if (foreground) return this.serve(foreground, false);
    const background = this.inBackground < this.mostBackground ? this.background.shift() : undefined;
    if (background) return this.serve(background, true);
    const last = inTurn ? undefined : this.foreground.shift();
    if (last) this.serve(last, false);
  }

  private serve(waiter: Waiter, isBackground: boolean): void {
    this.inARow = isBackground ? 0 : this.inARow + 1;
    this.take(isBackground);
    waiter();
  }

  private take(isBackground: boolean): void {
    this.free -= 1;
    if (isBackground) this.inBackground += 1;
  }
}

/** Returns Sequelize's pool, which its types do not tell. */
export function poolOf({ connectionManager }: Sequelize): PoolState & { readonly acquireTimeoutMillis: number } {
  return (connectionManager as unknown as { pool: ReturnType<typeof poolOf> }).pool;
}

/** Gives the connections of a pool in turns: to statements, models and transactions alike. */
export function connectInTurns(sequelize: Sequelize, size: number, turnOf: () => Turn | null): Turns {
  const { connectionManager } = sequelize;
  const turns = new Turns(size);
  const get = connectionManager.getConnection.bind(connectionManager);
  const release = connectionManager.releaseConnection.bind(connectionManager);
  const destroy = connectionManager.destroyConnection.bind(connectionManager);
  /** In whose turn each connection was taken. */
  const taken = new WeakMap<object, { readonly turn: Turn | null }>();
  const leave = (connection: object): void => {
    const known = taken.get(connection);
    taken.delete(connection);
    if (known) turns.leave(known.turn);
  };
  connectionManager.getConnection = async (wanted) => {
    const turn = turnOf();
    if (!(await turns.enter(turn, poolOf(sequelize).acquireTimeoutMillis)))
      throw new ConnectionAcquireTimeoutError(new Error('no connection came free in time'));
    try {
      const connection = await get(wanted);
      taken.set(connection, { turn });
      return connection;
    } catch (error) {
      turns.leave(turn);
      throw error;
    }
  };
  connectionManager.releaseConnection = (connection) => {
    release(connection);
    leave(connection);
  };
  connectionManager.destroyConnection = (connection) => destroy(connection).finally(() => leave(connection));
  return turns;
}
