import type { Logger } from 'pino';
import type { Autonomy, Scope } from './http/access';
import type { Frozen } from './frozenSends';
import type { Message } from './http/reasons';
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
  /** When they last showed there who they are. */
  readonly verifiedAt?: Date | undefined;
}

/** A rule that acts: what it causes starts no rule but one that asks for it. */
interface RuleCause {
  readonly id: number;
  readonly name: string;
  /** Of its run. */
  readonly runId: number;
  /** The rules that caused this, one by the other, with this one at the end. */
  readonly chain: readonly number[];
}

/** Whose things are meant: all that a member made, by session or key, or all that these keys made. */
export type Maker = { readonly memberId: number } | { readonly keyIds: readonly number[] };

/** The first argument of every service function: the workspace, the caller, and access to database and upstream. */
export interface Ctx {
  readonly runtime: Runtime;
  readonly workspaceId: number;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** The network that the request came from; absent for the CLI, timers and sweeps. */
  readonly address?: string;
  /** What the program of an agent calls itself. */
  readonly program?: string;
  /** The Idempotency-Key of the request, if it has one. */
  readonly idempotencyKey?: string;
  /**
   * Throws the 412 where the object of the request is no longer what the request asks for (If-Match). A write calls it
   * in its transaction, as soon as the row is locked; absent where the request asks for nothing.
   */
  readonly precondition?: () => Promise<void>;
  /** What the credential may send without a member's approval; everything when absent. */
  readonly autonomy?: Autonomy;
  /** Present during a rehearsal, which is rolled back at its end: collects what it would have sent. */
  readonly rehearsal?: { readonly frozen: Frozen[] };
  /**
   * Sends that a member has approved and that are still to be made. They are made as they were frozen; any other send
   * is refused.
   */
  readonly approved?: Frozen[];
  /** The rule whose run this is. */
  readonly rule?: RuleCause;
  /** The number at which lists stop counting, for callers that show no larger one; without it they count everything. */
  readonly countsUpTo?: number;
  /** Says why a part of the work was refused where its answer tells that in words; without it in English. */
  readonly say?: (message: Message) => string;
  readonly logger: Logger;
}

/** The part of a context that is enough for functions that record no actor. */
export type WorkspaceCtx = Pick<Ctx, 'runtime' | 'workspaceId'>;

/** The actor of timers, webhooks and sweeps (contract 6.2, "no actor"). */
export const systemActor: Actor = { type: 'system', memberId: null, apiKeyId: null };

/** Makes a context for work without a request; activities make one for each call. */
export function systemCtx(runtime: Runtime, workspaceId: number, requestId: string, actor: Actor = systemActor): Ctx {
  return { runtime, workspaceId, actor, scopes: new Set(), requestId, logger: runtime.logger };
}
