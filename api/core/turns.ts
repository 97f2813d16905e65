import { ConnectionAcquireTimeoutError, type Sequelize } from 'sequelize';
import { toldInTime, WorkspaceTurns, type Tell } from './waiting';

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
type Waiter = Tell<true>;

/** Background work gets no more than this part of the places, so that what people wait for finds one soon. */
const mostOfBackground = 2 / 3;
/**
 * While people's work is about, background work gets no more than these: one statement of theirs takes little, but all
 * share the processors of the database, and a change that people wait for is ten statements long.
 */
const besideForeground = 2;
/** People's work counts as being about so long after its last place. */
const foregroundForMs = 250;
/** After so many places for what people wait for one goes to background work, which must come to its end, too. */
const foregroundInARow = 4;

/**
 * Places that are given to those who wait in turns: each workspace gets one after the other. So a workspace with a
 * hundred statements under way holds up another one's by a single turn, and not by a hundred. What people wait for goes
 * before what is done in the background. What is done for no workspace (credentials, claims) goes first: it is short,
 * and the others come of it.
 */
export class Turns {
  private readonly ofNobody = new WorkspaceTurns<Waiter>();
  private readonly foreground = new WorkspaceTurns<Waiter>();
  private readonly background = new WorkspaceTurns<Waiter>();
  private free: number;
  private readonly mostBackground: number;
  private inBackground = 0;
  private inARow = 0;
  private foregroundUntil = Number.NEGATIVE_INFINITY;

  constructor(
    size: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
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
    this.noteForeground(turn);
    if (this.free > 0 && (!isBackground || (this.background.size === 0 && this.hasRoomForBackground()))) {
      this.take(isBackground);
      return Promise.resolve(true);
    }
    const queue = turn === null ? this.ofNobody : isBackground ? this.background : this.foreground;
    const workspaceId = turn?.workspaceId ?? 0;
    return toldInTime<true>(waitMs, {
      join: (waiter) => queue.add(workspaceId, waiter, turn?.ending === true),
      leave: (waiter) => queue.remove(workspaceId, waiter),
    }).then((told) => told === true);
  }

  /** Leaves the place to whose turn it is; `turn` is the one that entered. */
  leave(turn: Turn | null): void {
    this.free += 1;
    if (turn?.background === true) this.inBackground -= 1;
    this.noteForeground(turn);
    // More than one, where background work may have more places again.
    while (this.free > 0 && this.serveNext());
  }

  private noteForeground(turn: Turn | null): void {
    if (turn?.background === false) this.foregroundUntil = this.nowMs() + foregroundForMs;
  }

  private hasRoomForBackground(): boolean {
    const most = this.nowMs() < this.foregroundUntil ? besideForeground : this.mostBackground;
    return this.inBackground < Math.min(most, this.mostBackground);
  }

  /** Gives a place to whose turn it is; false where nobody waits who may have it. */
  private serveNext(): boolean {
    const next = this.ofNobody.shift();
    if (next) {
      this.take(false);
      next.waiter(true);
      return true;
    }
    const inTurn = this.inARow < foregroundInARow;
    const foreground = inTurn ? this.foreground.shift() : undefined;
    if (foreground) return this.serve(foreground, false);
    const background = this.hasRoomForBackground() ? this.background.shift() : undefined;
    if (background) return this.serve(background, true);
    const last = inTurn ? undefined : this.foreground.shift();
    return last !== undefined && this.serve(last, false);
  }

  private serve({ waiter }: { readonly waiter: Waiter }, isBackground: boolean): true {
    this.inARow = isBackground ? 0 : this.inARow + 1;
    this.take(isBackground);
    waiter(true);
    return true;
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
