import type { Ctx } from '../../../core/context';
import { lineOf } from '../../../core/phones';
import { storePairs, type Pair } from '../../resources/contacts/identityPairs';
import type { Identity } from '../../resources/contacts/identity';
import { resolveContact, type SenderProfile } from '../contactMerge/resolve';
import { applyRefusal } from '../../delivery/consequences';
import {
  applyPayment,
  applyStatus,
  applyStatuses,
  findStatusTargets,
  parkStatus,
  type Pricing,
  type StatusTarget,
  type StatusUpdate,
} from '../../resources/messages/rows/statuses';
import { reflectOutcomes } from '../../resources/tickets/stageMoves/outcomes';
import { eventTime, identityOf, objectAt, objectsIn, profileOf, textOf, type Json } from './read';
import type { StoredEvent } from './claim';

/** Characters of a price as JSON: some hundred are usual. */
const maxPricing = 4_096;

const statusWords: readonly string[] = ['sent', 'delivered', 'read', 'played', 'failed'];

/** Takes a status of an outbound message (upstream 2.7). */
export async function receiveStatus(ctx: Ctx, event: StoredEvent): Promise<void> {
  const status = event.payload['status'] as Json;
  const wamid = wamidOf(status);
  if (wamid === null) return;
  if (status['type'] === 'payment') {
    if (!(await applyPayment(ctx, wamid, textOf(status['status'], 32))))
      await parkStatus(ctx, wamid, event.business_account_id, event.payload);
    return;
  }

  const update = readStatus(status, wamid, ctx.runtime.clock.now());
  if (!update) return;
  const target = await applyStatus(ctx, update);
  if (!target) {
    await parkStatus(ctx, wamid, event.business_account_id, event.payload);
    return;
  }

  // The ticket's activity shows the status of its notification.
  if (target.origin === 'stage') await reflectOutcomes(ctx.runtime, [target.id]);
  if (update.error)
    await applyRefusal(ctx, {
      code: update.error.code,
      title: update.error.title,
      at: update.at,
      businessAccountId: event.business_account_id,
      messageId: target.id,
      contactId: target.contact_id,
      reported: true,
    });
  const news = update.error ? null : newsOf(event.payload, target);
  if (news) await resolveContact(ctx, news.identity, news.profile, update.at);
}

/**
 * Applies the plain statuses of one workspace together, as a mass send brings them: known messages, no failure, nothing
 * new about the recipient. `mark` begins the transaction and returns the events that are not processed yet. Returns the
 * ids of the events that are left for `receiveStatus`.
 */
export async function receivePlainStatuses(
  ctx: Ctx,
  events: readonly StoredEvent[],
  mark: (ids: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<ReadonlySet<number>> {
  const now = ctx.runtime.clock.now();
  const read = events.flatMap((event) => {
    const status = objectAt(event.payload, 'status') ?? {};
    const wamid = wamidOf(status);
    const update = wamid === null || status['type'] === 'payment' ? null : readStatus(status, wamid, now);
    return update && !update.error ? [{ event, update }] : [];
  });

  const targets = await findStatusTargets(
    ctx,
    read.map(({ update }) => update),
  );
  const pairs = read.flatMap(({ event, update }, place) => pairOf(event.payload, targets[place] ?? null, update.at));
  // These pairs are true even if storing the statuses fails, so they need no common transaction.
  const learned = await storePairs(ctx, pairs);

  const plain = read.flatMap((one, place) => {
    const found = targets[place];
    const target = found && { ...found, ...learned.get(found.contact_id) };
    return target && !newsOf(one.event.payload, target) ? [{ ...one, target }] : [];
  });
  if (plain.length > 0) {
    await ctx.runtime.db.transaction(async () => {
      const mine = await mark(plain.map(({ event }) => event.id));
      const taken = plain.filter(({ event }) => mine.has(event.id));
      await applyStatuses(ctx, taken);
      const notified = taken.filter(({ target }) => target.origin === 'stage').map(({ target }) => target.id);
      if (notified.length > 0) await reflectOutcomes(ctx.runtime, notified);
    });
  }
  const done = new Set(plain.map(({ event }) => event.id));
  return new Set(events.map(({ id }) => id).filter((id) => !done.has(id)));
}

/** Returns the id of the message that a status names; null for one that no message can have. */
function wamidOf(status: Json): string | null {
  const wamid = textOf(status['id'], 256);
  return wamid === '' || wamid.length > 255 ? null : wamid;
}

/** Returns the parts of a status that concern its message; null for an unknown status. */
function readStatus(status: Json, wamid: string, now: Date): StatusUpdate | null {
  const word = textOf(status['status'], 32);
  if (!statusWords.includes(word)) return null;
  const fault = objectsIn(status['errors'])[0];
  const details = objectAt(fault ?? null, 'error_data')?.['details'];
  return {
    wamid,
    opaque: typeof status['biz_opaque_callback_data'] === 'string' ? status['biz_opaque_callback_data'] : null,
    status: word as StatusUpdate['status'],
    at: eventTime(status['timestamp'], now),
    pricing: pricingOf(objectAt(status, 'pricing')),
    error:
      word === 'failed'
        ? {
            code: typeof fault?.['code'] === 'number' ? fault['code'] : 0,
            title: textOf(fault?.['title'] ?? 'Failed', 255),
            message: textOf(details ?? fault?.['message'] ?? '', 4096),
          }
        : null,
  };
}

/** Returns the price in a status, unchanged; null when there is none, or it is larger than any real one. */
function pricingOf(raw: Json | null): Pricing | null {
  return raw === null || Object.keys(raw).length === 0 || JSON.stringify(raw).length > maxPricing ? null : raw;
}

/**
 * Returns the identities and the user name of the recipient in a status (upstream 2.5); null when they are already
 * known.
 */
function newsOf(payload: Json, target: StatusTarget): { identity: Identity; profile: SenderProfile } | null {
  const status = payload['status'] as Json;
  if (status['recipient_type'] === 'group') return null;
  const entry = objectsIn(payload['contacts'])[0];
  const identity = identityOf(
    entry?.['wa_id'] ?? status['recipient_id'],
    entry?.['user_id'] ?? status['recipient_user_id'],
  );
  const { username } = profileOf(entry);
  const pairs = identity.phone !== null && identity.bsuid !== null && (target.bsuid === null || target.phone === null);
  const renames = username !== undefined && username.replace(/^@/, '') !== target.username;
  if (!pairs && !renames) return null;
  const theirs = identity.bsuid === target.bsuid || lineOf(identity.phone ?? '') === lineOf(target.phone ?? '');
  return theirs ? { identity, profile: username === undefined ? {} : { username } } : null;
}

/** Returns the phone and bsuid that a status names together, where its recipient was known by phone alone. */
function pairOf(payload: Json, target: StatusTarget | null, at: Date): Pair[] {
  const news = target && newsOf(payload, target);
  if (
    !news ||
    target.phone === null ||
    target.bsuid !== null ||
    news.identity.phone !== target.phone ||
    news.identity.bsuid === null
  )
    return [];
  return [
    {
      contactId: target.contact_id,
      phone: target.phone,
      bsuid: news.identity.bsuid,
      username: (news.profile.username ?? '').replace(/^@/, ''),
      at,
    },
  ];
}
