import type { Socket } from 'node:net';
import { BaseError, ConnectionAcquireTimeoutError, ConnectionError, type Sequelize } from 'sequelize';
import { toldInTime, WorkspaceTurns, type Tell } from './workspaceTurns';

/** A connection pool at one moment. */
export interface PoolState {
  readonly size: number;
  readonly available: number;
  readonly using: number;
  readonly waiting: number;
}

/** The id in the line for work of no workspace: credentials, claims, the record of a call. It goes first. */
const noWorkspace = 0;

/**
 * A limited number of places, for which workspaces wait in turn: a workspace with a hundred waiting statements delays
 * another one by one statement, not by a hundred. Work for no workspace goes first: it is short, and other work depends
 * on it.
 */
export class Turns {
  private readonly line = new WorkspaceTurns<Tell<true>>();

  constructor(private free: number) {}

  /** How many wait. */
  get waiting(): number {
    return this.line.size;
  }

  /** Enters at once or in turn; false when the turn did not come in time. A caller that entered must leave. */
  async enter(workspaceId: number | null, waitMs: number): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    const told = await toldInTime<true>(waitMs, {
      join: (tell) => this.line.add(workspaceId ?? noWorkspace, tell),
      leave: (tell) => this.line.remove(workspaceId ?? noWorkspace, tell),
    });
    return told === true;
  }

  /** Gives the place to the caller whose turn it is. */
  leave(): void {
    const next = this.line.shift((workspaceId) => workspaceId === noWorkspace) ?? this.line.shift();
    if (next) next.waiter(true);
    else this.free += 1;
  }
}

/** Returns Sequelize's pool, which its types do not tell. */
export function poolOf({ connectionManager }: Sequelize): PoolState & { readonly acquireTimeoutMillis: number } {
  return (connectionManager as unknown as { pool: ReturnType<typeof poolOf> }).pool;
}

/**
 * Makes statements, models and transactions get the connections of a pool in turns. `refusal` makes the error for a
 * caller that got none in time.
 */
export function connectInTurns(
  sequelize: Sequelize,
  size: number,
  {
    turnOf,
    refusal,
    answered,
  }: {
    readonly turnOf: () => number | null;
    readonly refusal: (error: unknown) => unknown;
    /** Is told for whom a connection was got, or has an answer, before that is read. */
    readonly answered?: ((workspaceId: number | null) => void) | undefined;
  },
): Turns {
  const { connectionManager } = sequelize;
  const turns = new Turns(size);
  const get = connectionManager.getConnection.bind(connectionManager);
  const release = connectionManager.releaseConnection.bind(connectionManager);
  const destroy = connectionManager.destroyConnection.bind(connectionManager);
  const taken = new WeakSet<object>();
  const heard = new WeakSet<object>();
  const turnAt = new WeakMap<object, number | null>();
  const hear = (connection: object): void => {
    const turn = turnOf();
    turnAt.set(connection, turn);
    answered?.(turn);
    if (!answered || heard.has(connection)) return;
    heard.add(connection);
    const { stream } = (connection as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.prependListener('data', () => answered(turnAt.get(connection) ?? null));
  };
  const leave = (connection: object): void => {
    if (taken.delete(connection)) turns.leave();
  };
  connectionManager.getConnection = async (wanted) => {
    if (!(await turns.enter(turnOf(), poolOf(sequelize).acquireTimeoutMillis)))
      throw refusal(new ConnectionAcquireTimeoutError(new Error('no connection came free in time')));
    try {
      const connection = await get(wanted);
      taken.add(connection);
      hear(connection);
      return connection;
    } catch (error) {
      turns.leave();
      throw refusal(connectionFault(error));
    }
  };
  connectionManager.releaseConnection = (connection) => {
    release(connection);
    leave(connection);
  };
  connectionManager.destroyConnection = (connection) => destroy(connection).finally(() => leave(connection));
  return turns;
}

/**
 * Returns why no connection could be made, as Sequelize's error. It hands on what the driver says of a session that is
 * cut while its first settings are made: that is no statement's fault either.
 */
function connectionFault(error: unknown): unknown {
  return error instanceof Error && !(error instanceof BaseError) ? new ConnectionError(error) : error;
}
