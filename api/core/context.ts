import type { Logger } from 'pino';
import type { Autonomy, Scope } from './http/access';
import type { Frozen } from './frozen';
import type { Runtime } from './runtime';

/** The caller. `memberId` is the member who owns the session, the key or the agent connection. */
export interface Actor {
  readonly type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  readonly memberId: number | null;
  readonly apiKeyId: number | null;
  /** The connection of an agent that signed in with OAuth. */
  readonly grantId?: number;
  /** The member who approved what an agent does. */
  readonly approvedBy?: number | null;
  /** The dashboard session that a member acts in. */
  readonly sessionId?: number;
}

/** Who made something: a member, by whatever credential, or keys. */
export type Maker = { readonly memberId: number } | { readonly keyIds: readonly number[] };

/** The first argument of every service function: the workspace, the caller, and access to database and upstream. */
export interface Ctx {
  readonly runtime: Runtime;
  readonly workspaceId: number;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** The network that a request came from; none for the CLI, timers and sweeps. */
  readonly address?: string;
  /** The Idempotency-Key of the request, where it carries one. */
  readonly idempotencyKey?: string;
  /** What the credential may send without a member's approval; everything when absent. */
  readonly autonomy?: Autonomy;
  /** Gathers what a rehearsal would send; the rehearsal is undone. */
  readonly rehearsal?: { readonly frozen: Frozen[] };
  /** What a member has approved and is still to be sent: it is sent as it was frozen, and nothing beside it. */
  readonly approved?: Frozen[];
  /**
   * The number at which lists stop counting, for callers that show no larger one; they count everything when absent.
   */
  readonly countsUpTo?: number;
  readonly logger: Logger;
}

/** The part of a context that functions need which record no actor. */
export type WorkspaceCtx = Pick<Ctx, 'runtime' | 'workspaceId'>;

/** The actor of timers, webhooks and sweeps (contract 6.2, "no actor"). */
export const systemActor: Actor = { type: 'system', memberId: null, apiKeyId: null };

/** Makes a context for work without a request; activities make one for each call. */
export function systemCtx(runtime: Runtime, workspaceId: number, requestId: string, actor: Actor = systemActor): Ctx {
  return { runtime, workspaceId, actor, scopes: new Set(), requestId, logger: runtime.logger };
}
