import { memberScopes, type Scope } from '../../../core/http/access';
import type { Ctx, Maker } from '../../../core/context';
import { isoTime, wire } from '../../../core/http/shapes';
import type { MemberRecord } from '../../identity/members/service';
import { recordSecurity } from '../../identity/securityLog/service';
import { scheduledMadeBy, takeBack } from '../../resources/broadcasts/service';
import { activeMadeBy, deactivate, madeWithScopes } from '../../resources/webhooks/service';

type MadeWebhook = Awaited<ReturnType<typeof activeMadeBy>>[number];
type MadeBroadcast = Awaited<ReturnType<typeof scheduledMadeBy>>[number];

/** What a member or key made that goes on by itself: webhooks hear, and scheduled broadcasts send. */
interface Made {
  readonly webhooks: readonly MadeWebhook[];
  readonly broadcasts: readonly MadeBroadcast[];
}

/** What of it goes on although its maker is gone. */
export interface Kept {
  readonly keepWebhooks: boolean;
  readonly keepBroadcasts: boolean;
}

/** What became of what was made. */
export interface LeftBehind {
  readonly stopped: Made;
  readonly kept: Made;
}

const nothing: Made = { webhooks: [], broadcasts: [] };
export const nothingLeft: LeftBehind = { stopped: nothing, kept: nothing };

/** Returns what a member or keys made that goes on by itself. */
export async function madeBy(ctx: Ctx, maker: Maker): Promise<Made> {
  return { webhooks: await activeMadeBy(ctx, maker), broadcasts: await scheduledMadeBy(ctx, maker) };
}

/** Returns what keys made, for keys that were just revoked. */
export async function leftByKeys(ctx: Ctx, keyIds: readonly number[], kept: Kept): Promise<LeftBehind> {
  if (keyIds.length === 0) return nothingLeft;
  return stop(ctx, await madeBy(ctx, { keyIds }), kept, 'The API key that made it was revoked.');
}

/** Returns what a member made who may do less than before: what they could not make any more. */
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
  return stop(
    ctx,
    {
      webhooks: made.webhooks.filter((webhook) => madeWithScopes(webhook).some((scope) => lost.has(scope))),
      broadcasts: lost.has('broadcast.manage') ? made.broadcasts : [],
    },
    kept,
    'The member who made it may not make it any more.',
  );
}

function scopesOf({ is_active: isActive, role, permissions }: MemberRecord): Scope[] {
  return isActive ? memberScopes(role, permissions) : [];
}

/** Stops what was made but for what is to go on, in the surrounding transaction, and tells what became of it. */
async function stop(
  ctx: Ctx,
  { webhooks, broadcasts }: Made,
  { keepWebhooks, keepBroadcasts }: Kept,
  why: string,
): Promise<LeftBehind> {
  for (const webhook of keepWebhooks ? [] : webhooks) {
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
    stopped: { webhooks: keepWebhooks ? [] : webhooks, broadcasts: takenBack },
    kept: { webhooks: keepWebhooks ? webhooks : [], broadcasts: keepBroadcasts ? broadcasts : [] },
  };
}

/** Returns both as one; what is in both is told once. */
export function together(first: LeftBehind, second: LeftBehind): LeftBehind {
  const once = <T extends { readonly id: number }>(rows: readonly T[]): T[] => [
    ...new Map(rows.toSorted((a, b) => a.id - b.id).map((row) => [row.id, row])).values(),
  ];
  const both = (a: Made, b: Made): Made => ({
    webhooks: once([...a.webhooks, ...b.webhooks]),
    broadcasts: once([...a.broadcasts, ...b.broadcasts]),
  });
  return { stopped: both(first.stopped, second.stopped), kept: both(first.kept, second.kept) };
}

/** What a member or key made, on the wire. */
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
});

/** Returns the wire form of what was made. */
export function madeView({ webhooks, broadcasts }: Made): Record<string, unknown> {
  return {
    webhooks: webhooks.map(({ id, url, description }) => ({ id, url, description })),
    broadcasts: broadcasts.map(({ id, name, scheduled_at: at }) => ({ id, name, scheduled_at: isoTime(at) })),
  };
}

/** Wire properties of an answer that tells what became of what was made. */
export const leftProperties = {
  stopped: {
    ...madeShape,
    description: 'What of it was stopped: deactivated webhooks, broadcasts that are drafts again.',
  },
  kept: { ...madeShape, description: 'What of it goes on.' },
};

/** Returns the wire form of what became of what was made. */
export function leftView({ stopped, kept }: LeftBehind): Record<string, unknown> {
  return { stopped: madeView(stopped), kept: madeView(kept) };
}
