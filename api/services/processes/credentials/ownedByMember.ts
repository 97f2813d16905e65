import { memberScopes, type Scope } from '../../../core/http/access';
import type { Ctx, Maker } from '../../../core/context';
import { isoTime, wire } from '../../../core/http/shapes';
import type { MemberRecord } from '../../identity/members/service';
import { recordSecurity } from '../../identity/securityLog/service';
import { scheduledMadeBy, takeBack } from '../../resources/broadcasts/service';
import { rulesThatAreOn } from '../../resources/rules/rights';
import { pauseLent } from '../ruleSettings/lentRules';
import { cancelPending } from '../../resources/webhooks/deliveries';
import { activeMadeBy, deactivate, madeWithScopes } from '../../resources/webhooks/service';

type MadeWebhook = Awaited<ReturnType<typeof activeMadeBy>>[number];
type MadeBroadcast = Awaited<ReturnType<typeof scheduledMadeBy>>[number];
type LentRule = Awaited<ReturnType<typeof rulesThatAreOn>>[number];

/** What a member or key created that works on without them: webhooks and scheduled broadcasts. */
interface Made {
  readonly webhooks: readonly MadeWebhook[];
  readonly broadcasts: readonly MadeBroadcast[];
  /** Rules that are on and act in the member's name. */
  readonly rules: readonly LentRule[];
}

/** Which of it is kept although its creator may not create it any more. */
export interface Kept {
  readonly keepWebhooks: boolean;
  readonly keepBroadcasts: boolean;
}

/** Which of it was stopped, and which was kept. */
export interface LeftBehind {
  readonly stopped: Made;
  readonly kept: Made;
}

const nothing: Made = { webhooks: [], broadcasts: [], rules: [] };
export const nothingLeft: LeftBehind = { stopped: nothing, kept: nothing };

/** Returns the active webhooks and scheduled broadcasts that a member or keys created. */
export async function madeBy(ctx: Ctx, maker: Maker): Promise<Made> {
  return {
    webhooks: await activeMadeBy(ctx, maker),
    broadcasts: await scheduledMadeBy(ctx, maker),
    rules: 'memberId' in maker ? await rulesThatAreOn(ctx, { runs_as_id: maker.memberId }) : [],
  };
}

/** Stops what keys that were just revoked had created, except what is kept. */
export async function leftByKeys(ctx: Ctx, keyIds: readonly number[], kept: Kept): Promise<LeftBehind> {
  if (keyIds.length === 0) return nothingLeft;
  return stop(ctx, await madeBy(ctx, { keyIds }), kept, 'The API key that made it was revoked.');
}

/** Stops what a member who lost rights had created and could not create any more, except what is kept. */
export async function leftByMember(
  ctx: Ctx,
  before: MemberRecord,
  after: MemberRecord,
  kept: Kept,
): Promise<LeftBehind> {
  const held = new Set(scopesOf(after));
  const lost = new Set(scopesOf(before).filter((scope) => !held.has(scope)));
  if (lost.size === 0) return nothingLeft;
  const made = await madeBy(ctx, { memberId: after.id });
  const rules = await pauseLent(ctx, made.rules);
  const left = await stop(
    ctx,
    {
      webhooks: made.webhooks.filter((webhook) => madeWithScopes(webhook).some((scope) => lost.has(scope))),
      broadcasts: lost.has('broadcast.manage') ? made.broadcasts : [],
    },
    kept,
    'The member who made it may not make it any more.',
  );
  return { ...left, stopped: { ...left.stopped, rules } };
}

function scopesOf({ is_active: isActive, role, permissions }: MemberRecord): Scope[] {
  return isActive ? memberScopes(role, permissions) : [];
}

/** Stops webhooks and broadcasts except those that are kept, in the surrounding transaction. Returns both. */
export async function stop(
  ctx: Ctx,
  { webhooks, broadcasts }: Pick<Made, 'webhooks' | 'broadcasts'>,
  { keepWebhooks, keepBroadcasts }: Kept,
  why: string,
): Promise<LeftBehind> {
  for (const webhook of keepWebhooks ? [] : webhooks) {
    // The deliveries first, as attempts are recorded, to avoid deadlocks.
    await cancelPending(ctx, webhook.id, 'The subscription was deactivated.');
    await deactivate(ctx, webhook, why);
    await recordSecurity(ctx, { action: 'webhooks.stopped', subjectId: webhook.id, given: { why } });
  }
  const takenBack: MadeBroadcast[] = [];
  for (const broadcast of keepBroadcasts ? [] : broadcasts) {
    // One that begins at this moment goes on.
    if (!(await takeBack(ctx, broadcast.id))) continue;
    await recordSecurity(ctx, { action: 'broadcasts.unscheduled', subjectId: broadcast.id, given: { why } });
    takenBack.push(broadcast);
  }
  return {
    stopped: { webhooks: keepWebhooks ? [] : webhooks, broadcasts: takenBack, rules: [] },
    kept: { webhooks: keepWebhooks ? webhooks : [], broadcasts: keepBroadcasts ? broadcasts : [], rules: [] },
  };
}

/** Merges two results; an object in both is listed once. */
export function together(first: LeftBehind, second: LeftBehind): LeftBehind {
  const once = <T extends { readonly id: number }>(rows: readonly T[]): T[] => [
    ...new Map(rows.toSorted((a, b) => a.id - b.id).map((row) => [row.id, row])).values(),
  ];
  const both = (a: Made, b: Made): Made => ({
    webhooks: once([...a.webhooks, ...b.webhooks]),
    broadcasts: once([...a.broadcasts, ...b.broadcasts]),
    rules: once([...a.rules, ...b.rules]),
  });
  return { stopped: both(first.stopped, second.stopped), kept: both(first.kept, second.kept) };
}

/** The wire form of what a member or key created. */
export const madeShape = wire.named('MadeByCredential', {
  webhooks: {
    ...wire.list(wire.named('MadeWebhook', { id: wire.integer(), url: wire.text(), description: wire.text() })),
    description: 'Webhooks that are active.',
  },
  broadcasts: {
    ...wire.list(
      wire.named('MadeBroadcast', {
        id: wire.integer(),
        name: wire.text(),
        scheduled_at: wire.nullable(wire.datetime()),
      }),
    ),
    description: 'Broadcasts that are scheduled.',
  },
  rules: {
    ...wire.list(wire.named('LentRule', { id: wire.integer(), name: wire.text() })),
    description: 'Rules that are on and act in the member’s name.',
  },
});

/** Returns the wire form of what was made. */
export function madeView({ webhooks, broadcasts, rules }: Made): Record<string, unknown> {
  return {
    webhooks: webhooks.map(({ id, url, description }) => ({ id, url, description })),
    broadcasts: broadcasts.map(({ id, name, scheduled_at: at }) => ({ id, name, scheduled_at: isoTime(at) })),
    rules: rules.map(({ id, name }) => ({ id, name })),
  };
}

/** The properties of an answer that lists what was stopped and what was kept. */
export const leftProperties = {
  stopped: {
    ...madeShape,
    description: 'What of it was stopped: deactivated webhooks, broadcasts that are drafts again, paused rules.',
  },
  kept: { ...madeShape, description: 'What of it goes on.' },
};

/** Returns the wire form of what became of what was made. */
export function leftView({ stopped, kept }: LeftBehind): Record<string, unknown> {
  return { stopped: madeView(stopped), kept: madeView(kept) };
}
