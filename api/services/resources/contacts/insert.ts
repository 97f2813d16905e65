import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { recordSql } from '../../../core/queue/events';
import type { InputOf } from '../../../core/http/fields';
import type { Identity } from './identity';
import { identityHashing } from './preference';
import { freeHandles, openConversationsSql } from './rows';
import type { createContactInput } from './schema';

/** The data of an upstream event about its contact, and the time of the event. */
interface ProfileOfEvent {
  readonly name?: string;
  readonly username?: string;
  readonly at: Date;
  /** Subscribers are not told of the new contact. */
  readonly quiet?: boolean;
}

/** What is known of a new contact beside its identity. */
type NewContact = InputOf<typeof createContactInput> & { readonly profile?: ProfileOfEvent };

/** A new contact; no two of an insert share a phone or a bsuid. */
interface Arrival {
  readonly identity: Identity;
  readonly values: NewContact;
  /** Of the request that brings it, where one transaction does the work of several. */
  readonly requestId?: string;
}

/**
 * Inserts a contact, its conversation and the event; unique violations pass through. A kept opt-out mark applies again.
 */
export async function insertContact(ctx: Ctx, identity: Identity, values: NewContact): Promise<number> {
  const [id] = await insertContacts(ctx, [{ identity, values }]);
  if (id === undefined) throw new Error('the contact was not inserted');
  return id;
}

/** Inserts contacts like `insertContact`; returns their ids in the order in which they are given. */
export async function insertContacts(ctx: Ctx, arrivals: readonly Arrival[]): Promise<number[]> {
  if (arrivals.length === 0) return [];
  await freeHandles(
    ctx,
    arrivals.map(({ identity }) => receiverOf(identity)),
  );
  const hashesOf = await identityHashing(ctx);
  const rows = await ctx.runtime.db.rows<{ id: number; receiver_id: string }>(
    // Contacts, conversations, events and remembered opt-outs together: messages of new customers come in bursts.
    `WITH given AS MATERIALIZED (
       SELECT * FROM json_to_recordset($arrivals::json) AS g(receiver_id text, phone text, bsuid text, name text,
         email text, company text, notes text, tags text, custom_fields text, opt_out boolean, identity_at timestamptz,
         profile_name_at timestamptz, username text, username_at timestamptz, hashes text[], request_id text,
         quiet boolean)
     ), inserted AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, bsuid, name, email, company, notes, tags, custom_fields,
         marketing_opt_out, marketing_opt_out_at, marketing_opt_out_source, marketing_preference_at,
         identity_at, profile_name_at, username, username_at)
       SELECT $workspaceId, g.receiver_id, g.phone, g.bsuid, g.name, g.email, g.company, g.notes, g.tags::jsonb,
         g.custom_fields::jsonb,
         g.opt_out OR mark.source IS NOT NULL,
         CASE WHEN g.opt_out THEN now() ELSE mark.opted_out_at END,
         CASE WHEN g.opt_out THEN $optOutSource ELSE mark.source END,
         CASE WHEN g.opt_out THEN now() ELSE mark.opted_out_at END,
         g.identity_at, g.profile_name_at, g.username, g.username_at
       FROM given g LEFT JOIN LATERAL (
         SELECT opted_out_at, source
         FROM opt_out_marks
         WHERE workspace_id = $workspaceId
           AND identity_hash = ANY(ARRAY(SELECT decode(hash, 'hex') FROM unnest(g.hashes) AS hash))
         ORDER BY opted_out_at DESC LIMIT 1
       ) mark ON true
       RETURNING id, receiver_id
     ), conversation AS (${openConversationsSql('inserted')}), event AS (${recordSql(
       'inserted i JOIN given g ON g.receiver_id = i.receiver_id',
       {
         workspaceId: '$workspaceId',
         subjectType: 'contact',
         subjectId: 'i.id',
         kind: { by: 'g.quiet::text', of: { false: 'contact_created', true: 'contact_synced' } },
         actor: ['$actorType', '$memberId::bigint', '$apiKeyId::bigint'],
         requestId: 'coalesce(g.request_id, $requestId)',
       },
     )})
     SELECT id, receiver_id FROM inserted`,
    {
      workspaceId: ctx.workspaceId,
      optOutSource: ctx.actor.type === 'member' ? 'member' : 'api',
      actorType: ctx.actor.type,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
      requestId: ctx.requestId,
      arrivals: JSON.stringify(arrivals.map((arrival) => rowOf(arrival, hashesOf(arrival.identity)))),
    },
  );
  const ids = new Map(rows.map((row) => [row.receiver_id, row.id]));
  return arrivals.flatMap(({ identity }) => ids.get(receiverOf(identity)) ?? []);
}

function receiverOf({ phone, bsuid }: Identity): string {
  return phone ?? bsuid ?? '';
}

function rowOf({ identity, values, requestId }: Arrival, hashes: readonly Buffer[]): Record<string, unknown> {
  const { profile } = values;
  return {
    receiver_id: receiverOf(identity),
    phone: identity.phone,
    bsuid: identity.bsuid,
    name: values.name ?? '',
    email: values.email ?? '',
    company: values.company ?? '',
    notes: values.notes ?? '',
    // As texts: JSON's null is a value of these columns, and would be SQL's own.
    tags: JSON.stringify(values.tags === undefined ? [] : values.tags),
    custom_fields: JSON.stringify(values.custom_fields ?? {}),
    opt_out: values.marketing_opt_out ?? false,
    identity_at: identity.phone !== null && identity.bsuid !== null ? (profile?.at ?? null) : null,
    profile_name_at: profile?.name ? profile.at : null,
    username: cut((profile?.username ?? '').replace(/^@/, ''), 64) || null,
    username_at: profile?.username ? profile.at : null,
    hashes: hashes.map((hash) => hash.toString('hex')),
    request_id: requestId,
    quiet: profile?.quiet ?? false,
  };
}
