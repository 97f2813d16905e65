import type { Logger } from 'pino';
import type { Scope } from './access';
import type { Autonomy } from './autonomy';
import type { Runtime } from './runtime';

/** Who acts. `memberId` is the member behind a session, a key or an agent connection. */
export interface Actor {
  readonly type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  readonly memberId: number | null;
  readonly apiKeyId: number | null;
  /** The dashboard session that a member acts in. */
  readonly sessionId?: number;
}

/** What every service function gets first: the tenant, the actor, and the ways out. */
export interface Ctx {
  readonly runtime: Runtime;
  readonly workspaceId: number;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** The Idempotency-Key of the request, where it carries one. */
  readonly idempotencyKey?: string;
  /** How freely the credential may send; absent: without limit. */
  readonly autonomy?: Autonomy;
  /** Counts what a rehearsal would send. */
  readonly rehearsal?: { sends: number };
  /** Where lists stop counting, for whoever shows no larger number; absent: they count all there is. */
  readonly countsUpTo?: number;
  readonly logger: Logger;
}

/** What suffices where nobody in particular acts: a workspace, and the ways out. */
export type WorkspaceCtx = Pick<Ctx, 'runtime' | 'workspaceId'>;

/** The actor of timers, webhooks and sweeps: nobody (contract 6.2, "no actor"). */
const systemActor: Actor = { type: 'system', memberId: null, apiKeyId: null };

/** A context for work that no request asked for. */
export function systemCtx(runtime: Runtime, workspaceId: number, requestId: string, actor: Actor = systemActor): Ctx {
  return { runtime, workspaceId, actor, scopes: new Set(), requestId, logger: runtime.logger };
}
