import { cut } from '../../../core/text/cut';
import type { WebhookSubscriptionRow } from '../../../../models';
import { isScope, memberScopes, type Scope, autonomyLevels, type Autonomy } from '../../../core/http/access';
import { isBound, rehearsed } from '../../../core/autonomy';
import type { Actor, Ctx } from '../../../core/context';
import { isDatabaseAway, isDatabaseBusy } from '../../../core/db/database';
import { AppError, isTemporary } from '../../../core/http/errors';
import { Fault, isPlainObject } from '../../../core/http/fields';
import { reaches, type Frozen } from '../../../core/frozenSends';
import { canonicalJson } from '../../../core/db/idempotency';
import { parseJson } from '../../../core/http/numbers';
import { of } from '../../../core/db/scoped';
import { guard } from '../../../core/http/validate';
import { credentialOfKey } from '../../identity/apiKeys/authenticate';
import { isSend, parseActions, type Action, type SendAction } from '../../resources/macros/actions';
import { withoutVariables } from '../../resources/macros/params';
import { findKeyedRun, openKeyedRun, type KeyedRun, type MacroTarget } from '../../resources/macros/runs';
import { rehearse as rehearseCall, type ParkedCall } from '../approvals/calls';
import { parkCall } from '../approvals/service';
import { finishRun } from '../macroRuns/service';
import { performActions, requireActionScopes } from '../macroRuns/steps';
import { answerRequestId, requireNoLoop } from './loops';
import type { DueDelivery } from './outcomes';
import { reason } from '../../resources/reasons';
import { after } from '../../../core/http/reasons';

/** Most actions of one answer. */
const maxActions = 10;

/** An action of an answer, and whether it is only to be checked. */
interface Step {
  readonly action: Action;
  readonly dryRun: boolean;
}

/** The result of the actions in an answer, as the log of the delivery shows it. */
interface ActionsLog {
  /** `refused`: none was applied, and `error` says why. `checked`: all were dry runs. */
  readonly status: 'applied' | 'checked' | 'refused';
  readonly error: string;
  readonly run_id: number | null;
  readonly steps: readonly {
    readonly type: string;
    readonly dry_run: boolean;
    readonly status: 'applied' | 'checked' | 'parked' | 'not_applied';
    readonly detail: string;
    readonly approval_id: number | null;
  }[];
}

type AnsweredEvent = Pick<DueDelivery, 'id' | 'uid' | 'subject_type' | 'subject_id' | 'data'>;

/** Who made a subscription, and what its actions may do now. */
interface Grant {
  readonly ctx: Ctx;
  readonly connection: { readonly kind: 'api_key'; readonly id: number; readonly name: string } | null;
}

/**
 * Performs the actions in a receiver's answer, once for each event and subscription, as a macro run with the scopes of
 * the subscription that its creator still has. Invalid or refused actions change nothing. Of several answers to one
 * event, the first whose actions ran counts. Throws only errors that are worth another try.
 */
export async function takeActions(
  ctx: Ctx,
  subscription: WebhookSubscriptionRow,
  event: AnsweredEvent,
  body: string | null,
): Promise<void> {
  const raw = actionsOf(body);
  if (raw === undefined || (Array.isArray(raw) && raw.length === 0)) return;
  const deliveries = of(ctx, ctx.runtime.db.models.WebhookDelivery);
  const stored = await deliveries.findOne({ attributes: ['actions'], where: { id: event.id }, raw: true });
  if (!stored || (stored.actions as ActionsLog | null)?.status === 'applied') return;
  const write = async (log: ActionsLog): Promise<void> => {
    await deliveries.update({ actions: log }, { where: { id: event.id } });
  };

  const steps = readSteps(raw);
  const known = steps instanceof Fault ? [] : steps;
  try {
    const earlier = await findKeyedRun(ctx, keyOf(subscription, event));
    const plan = await planned(ctx, subscription, event, steps);
    if (earlier && !(plan.kind === 'valid' && isSame(earlier, plan.now)))
      await write(await finishEarlier(ctx, earlier));
    else if (plan.kind === 'refused') await write(refused(known, plan.reason));
    else await perform(ctx, keyOf(subscription, event), plan, write);
  } catch (error) {
    if (mayPass(error)) throw error;
    if (error instanceof AppError) return write(refused(known, error.message));
    // An unexpected error would be the same next time, and must not hold up later events.
    ctx.logger.error({ err: error, subscriptionId: subscription.id, event: event.uid }, 'actions of an answer failed');
    await write(refused(known, 'The actions met a fault of the service.'));
  }
}

/** Names the one run that the answers to an event may have. */
function keyOf({ id }: WebhookSubscriptionRow, { uid }: AnsweredEvent): string {
  return `webhook/${id}/${uid}`;
}

function isSame(run: KeyedRun, actions: readonly Action[]): boolean {
  return canonicalJson(run.actions) === canonicalJson(actions);
}

/** Returns the log of a run whose answer was not recorded before its process died: its steps, not this answer's. */
async function finishEarlier(ctx: Ctx, run: KeyedRun): Promise<ActionsLog> {
  const ran = await finishRun(ctx, run);
  return {
    status: 'applied',
    error: 'An earlier answer to this event was taken; this one asked for something else.',
    run_id: run.id,
    steps: ran.map(({ type, detail }) => ({ type, dry_run: false, status: 'applied', detail, approval_id: null })),
  };
}

/** Returns the `actions` of an answer; undefined where it is no JSON object, or has none. */
function actionsOf(body: string | null): unknown {
  if (body === null || body.trim() === '') return undefined;
  try {
    const value = parseJson(body);
    return isPlainObject(value) ? value['actions'] : undefined;
  } catch {
    return undefined;
  }
}

function readSteps(raw: unknown): readonly Step[] | Fault {
  try {
    guard({ actions: raw });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new Fault(...Object.values(error.fields ?? {}).flat());
  }
  if (Array.isArray(raw) && raw.length > maxActions) return new Fault(reason('tooMany', { max: maxActions }));
  if (!Array.isArray(raw)) return new Fault(reason('noActions'));
  const dryRuns: boolean[] = [];
  const bare: unknown[] = [];
  for (const [index, item] of raw.entries()) {
    if (!isPlainObject(item)) {
      bare.push(item);
      continue;
    }
    const { dry_run: dryRun = false, ...action } = item;
    if (typeof dryRun !== 'boolean') return new Fault(after(`${index + 1}: dry_run: `, reason('noBoolean')));
    dryRuns.push(dryRun);
    bare.push(action);
  }
  const actions = parseActions(bare);
  if (actions instanceof Fault) return actions;
  return actions.map((action, index) => ({ action, dryRun: dryRuns[index] ?? false }));
}

/** The checked actions of an answer: those that run now, and those that wait for a member's approval. */
interface Plan {
  readonly kind: 'valid';
  readonly grant: Grant;
  readonly target: MacroTarget;
  readonly steps: readonly Step[];
  readonly now: readonly Action[];
  readonly parked: ReadonlyMap<Action, ParkedCall>;
}

/** Checks all actions of an answer before any is run or parked. Throws only errors that are worth another try. */
async function planned(
  ctx: Ctx,
  subscription: WebhookSubscriptionRow,
  event: AnsweredEvent,
  steps: readonly Step[] | Fault,
): Promise<Plan | { readonly kind: 'refused'; readonly reason: string }> {
  if (steps instanceof Fault) return { kind: 'refused', reason: steps.messages.join(' ') };
  try {
    return await planOf(ctx, subscription, event, steps);
  } catch (error) {
    if (!(error instanceof AppError) || mayPass(error)) throw error;
    return { kind: 'refused', reason: error.message };
  }
}

async function planOf(
  ctx: Ctx,
  subscription: WebhookSubscriptionRow,
  event: AnsweredEvent,
  steps: readonly Step[],
): Promise<Plan> {
  const target = targetOf(event);
  if (!target) throw new AppError('validation', 'This event is of no conversation and no ticket.');
  const grant = await grantOf(ctx, subscription, event);
  requireActionScopes(
    grant.ctx,
    steps.map(({ action }) => action),
    target.ticketId === null ? 'chat' : 'ticket',
  );
  const free = { ...grant.ctx, autonomy: 'autonomous' as const };
  const rehearse = (actions: readonly Action[]): Promise<readonly Frozen[]> =>
    rehearsed(free, (rehearsing) =>
      performActions(rehearsing, { actions, target, dedupePrefix: `webhook-rehearsal/${event.id}` }),
    );
  await rehearse(steps.map(({ action }) => action));
  const real = steps.filter(({ dryRun }) => !dryRun).map(({ action }) => action);
  if (real.length > 0) await requireNoLoop(ctx, event, target);

  const parked = new Map<Action, ParkedCall>();
  if (isBound(grant.ctx))
    for (const action of real) {
      const call = await callToPark(ctx, target, action, real, rehearse);
      if (!call) continue;
      // If a call cannot be parked, nothing is applied; parked calls are frozen after the others have run.
      await rehearseCall(grant.ctx, call);
      parked.set(action, call);
    }
  return { kind: 'valid', grant, target, steps, parked, now: real.filter((action) => !parked.has(action)) };
}

/** Runs the actions that may run now, then parks the rest and records both. Throws the refusal of the run. */
async function perform(
  ctx: Ctx,
  key: string,
  { grant, target, steps, now, parked }: Plan,
  write: (log: ActionsLog) => Promise<void>,
): Promise<void> {
  const run = now.length === 0 ? null : await openKeyedRun(grant.ctx, key, now, target);
  const ran = run ? await finishRun(grant.ctx, run) : [];
  await ctx.runtime.db.transaction(async () => {
    const approvals = new Map<Action, number>();
    for (const [action, call] of parked) approvals.set(action, await park(grant, action, call));
    await write({
      status: steps.every(({ dryRun }) => dryRun) ? 'checked' : 'applied',
      error: '',
      run_id: run?.id ?? null,
      steps: steps.map(({ action, dryRun }) => ({
        type: action.type,
        dry_run: dryRun,
        status: dryRun ? 'checked' : approvals.has(action) ? 'parked' : 'applied',
        detail: ran[now.indexOf(action)]?.detail ?? '',
        approval_id: approvals.get(action) ?? null,
      })),
    });
  });
}

function refused(steps: readonly Step[], error: string): ActionsLog {
  return {
    status: 'refused',
    error: cut(error, 1_000),
    run_id: null,
    steps: steps.map(({ action, dryRun }) => ({
      type: action.type,
      dry_run: dryRun,
      status: 'not_applied',
      detail: '',
      approval_id: null,
    })),
  };
}

function targetOf(event: AnsweredEvent): MacroTarget | null {
  // A contact's conversation has the id of the contact.
  if (event.subject_type === 'contact') return { conversationId: event.subject_id, ticketId: null };
  if (event.subject_type === 'ticket') return { conversationId: null, ticketId: event.subject_id };
  return null;
}

const lower = (left: Autonomy, right: Autonomy): Autonomy =>
  autonomyLevels.indexOf(left) <= autonomyLevels.indexOf(right) ? left : right;

/** Returns the scopes of the subscription that its creator still has; none when the key or member is gone. */
async function grantOf(ctx: Ctx, subscription: WebhookSubscriptionRow, event: AnsweredEvent): Promise<Grant> {
  const { api_key_id: keyId, created_by_id: memberId } = subscription;
  let held: ReadonlySet<Scope> = new Set();
  let autonomy: Autonomy = subscription.autonomy;
  let connection: Grant['connection'] = null;
  let actor: Actor = { type: 'member', memberId, apiKeyId: null };
  if (keyId !== null) {
    const credential = await credentialOfKey(ctx.runtime, keyId);
    if (credential && credential.workspaceId === ctx.workspaceId) {
      held = credential.scopes;
      autonomy = lower(autonomy, credential.autonomy);
    }
    connection = { kind: 'api_key', id: keyId, name: credential?.name ?? '' };
    actor = { type: 'api_key', memberId, apiKeyId: keyId };
  } else if (memberId !== null) {
    const member = await of(ctx, ctx.runtime.db.models.Member).findOne({
      attributes: ['role', 'permissions'],
      where: { id: memberId, is_active: true },
      raw: true,
    });
    if (member) held = new Set(memberScopes(member.role, member.permissions));
  }
  const scopes = new Set(subscription.scopes.filter(isScope).filter((scope) => held.has(scope)));
  return { ctx: { ...ctx, actor, scopes, autonomy, requestId: answerRequestId(event) }, connection };
}

/** Returns the call that has to wait for a member's approval, or null when it sends nothing to a customer. */
async function callToPark(
  ctx: Ctx,
  target: MacroTarget,
  action: Action,
  all: readonly Action[],
  rehearse: (actions: readonly Action[]) => Promise<readonly Frozen[]>,
): Promise<ParkedCall | null> {
  if (isSend(action)) return { kind: 'message', input: await messageOf(ctx, target, action) };
  if (action.type !== 'move_stage') return null;
  const creates = all.slice(0, all.indexOf(action)).filter(({ type }) => type === 'create_ticket');
  if (!(await rehearse([...creates, action])).some(reaches)) return null;
  if (target.ticketId === null)
    throw new AppError('validation', 'A move that tells customers waits for approval: create its ticket before.');
  return { kind: 'ticket', input: { id: target.ticketId, stage: action.params['stage'] } };
}

/** Returns the exact message of a send, as `POST /messages/` takes it. */
async function messageOf(ctx: Ctx, target: MacroTarget, action: SendAction): Promise<Record<string, unknown>> {
  const isTemplate = action.type === 'send_template';
  if (!isTemplate && action.params['template_variables'] !== undefined)
    throw new AppError('validation', 'A text with placeholders cannot be parked for approval. Send the text as it is.');
  // A conversation's id is its contact's.
  const contactId = target.ticketId === null ? target.conversationId : await contactOfTicket(ctx, target.ticketId);
  const row = await of(ctx, ctx.runtime.db.models.Contact).findOne({
    attributes: ['receiver_id'],
    where: { id: contactId ?? 0 },
    raw: true,
  });
  if (!row) throw new AppError('validation', 'There is no contact to send to.');
  return isTemplate
    ? { to: row.receiver_id, type: 'template', ...action.params }
    : { to: row.receiver_id, ...withoutVariables(action.params) };
}

async function contactOfTicket(ctx: Ctx, ticketId: number): Promise<number | null> {
  const row = await of(ctx, ctx.runtime.db.models.Ticket).findOne({
    attributes: ['receiver_id'],
    where: { id: ticketId },
    raw: true,
  });
  return row?.receiver_id ?? null;
}

async function park({ ctx, connection }: Grant, action: Action, call: ParkedCall): Promise<number> {
  if (!connection || ctx.autonomy === undefined || ctx.autonomy === 'autonomous')
    throw new Error('only a bound key has its sends parked');
  return parkCall(ctx, connection, ctx.autonomy, action.type, call, await rehearseCall(ctx, call));
}

/** Returns whether another try of work that failed may meet better times. */
function mayPass(error: unknown): boolean {
  if (error instanceof AppError) return isTemporary(error);
  return isDatabaseAway(error) || isDatabaseBusy(error);
}
