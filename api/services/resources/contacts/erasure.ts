import { notFound } from '../../../core/http/errors';
import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db/database';
import { recordEvent } from '../../../core/queue/events';
import { eraseAnswers } from '../../../core/db/idempotency';
import { of } from '../../../core/db/scoped';
import { otherLinesOf } from './aliases';
import { eraseScheduled } from '../files/rows';
import { historyIdsSql, passHistory } from './histories';
import { spellingsOf } from '../../../core/phones';
import { forgetMarks, rememberOptOut } from './preference';
import type { ContactView } from './serializer';
import { findContact } from './service';

/** The identifiers of a contact, in all the forms in which other rows may contain them. */
interface ErasedIdentity {
  readonly conversationId: number;
  /** Phone numbers as digits, user ids and former handles. */
  readonly handles: readonly string[];
}

/** Searching texts of a whole workspace takes longer than a request's statement usually may. */
const searchMs = 60_000;

const erasedWamids = `SELECT wamid FROM messages
  WHERE workspace_id = $workspaceId AND conversation_id = ANY(${historyIdsSql}) AND wamid IS NOT NULL`;

interface Trace {
  /** The table that the statement reaches, for the message of a failure. */
  readonly table: string;
  readonly sql: string;
}

/**
 * Rows with data of a contact but no reference to it, which no foreign key removes. A handle is matched as a whole: a
 * longer number that begins with it belongs to another person. A table whose texts can hold a customer's data adds a
 * line; a test plants a marker in every text of the schema and looks for it after an erasure.
 */
const receivedTraces: readonly Trace[] = [
  {
    table: 'inbox_events',
    sql: `DELETE FROM inbox_events WHERE workspace_id = $workspaceId
      AND (order_key = ANY($handles::text[]) OR order_key IN (${erasedWamids})
        OR payload::text ~ $pattern OR error ~ $pattern)`,
  },
  {
    table: 'parked_statuses',
    sql: `DELETE FROM parked_statuses WHERE workspace_id = $workspaceId
      AND (wamid IN (${erasedWamids}) OR payload::text ~ $pattern)`,
  },
];

/** SQL: whether sends that were frozen have a message to the contact. */
const sentTo = (column: string): string =>
  `${column} @> jsonb_build_array(jsonb_build_object('to', jsonb_build_object('id', $conversationId::bigint)))`;

const otherTraces: readonly Trace[] = [
  {
    table: 'conversation_episodes',
    // What is counted stays, without the person; nothing is under way any more.
    sql: `UPDATE conversation_episodes SET tags = '[]', unsummed = true, ended_at = coalesce(ended_at, now()),
        ended_as = CASE WHEN ended_at IS NULL THEN 'erased' ELSE ended_as END
      WHERE workspace_id = $workspaceId AND conversation_id = $conversationId`,
  },
  {
    table: 'ticket_stage_moves',
    sql: `UPDATE ticket_stage_moves v SET recipient_values = v.recipient_values - n.ids
      FROM (SELECT array_append(array_agg(value::text), $conversationId::bigint::text) AS ids FROM contact_aliases
        WHERE workspace_id = $workspaceId AND kind = 'id' AND contact_id = $conversationId) n
      WHERE v.workspace_id = $workspaceId AND v.recipient_values ?| n.ids`,
  },
  {
    table: 'identity_moves',
    sql: `DELETE FROM identity_moves WHERE workspace_id = $workspaceId
      AND ARRAY[old_phone, old_bsuid, new_phone, new_bsuid]::text[] && $handles::text[]`,
  },
  {
    table: 'approvals',
    // A move reaches the others, which is not what was shown.
    sql: `UPDATE approvals SET frozen = (
        SELECT jsonb_agg(CASE WHEN s.send ? 'recipients' THEN s.send || jsonb_build_object('recipients', (
            SELECT coalesce(jsonb_agg(r.person ORDER BY r.place), '[]')
            FROM jsonb_array_elements(s.send->'recipients') WITH ORDINALITY AS r(person, place)
            WHERE r.person->>'id' <> $conversationId::bigint::text))
          ELSE s.send END ORDER BY s.place)
        FROM jsonb_array_elements(frozen) WITH ORDINALITY AS s(send, place)),
        digest = encode(sha256(convert_to(digest || $conversationId::bigint::text, 'UTF8')), 'hex')
      WHERE workspace_id = $workspaceId AND frozen @> jsonb_build_array(
        jsonb_build_object('recipients', jsonb_build_array(jsonb_build_object('id', $conversationId::bigint))))`,
  },
  {
    table: 'approvals',
    // What was parked for this customer can be done no more: a pending call ends with them.
    sql: `UPDATE approvals SET input = '{}', frozen = '[]', result = NULL, note = NULL,
        status = CASE WHEN status = 'pending' THEN 'rejected' ELSE status END, decided_at = coalesce(decided_at, now())
      WHERE workspace_id = $workspaceId AND (input::text ~ $pattern OR result::text ~ $pattern
        OR note ~ $pattern OR frozen::text ~ $pattern OR ${sentTo('frozen')}
        OR regexp_replace(coalesce(input->>'to', ''), '[^0-9]', '', 'g') = ANY($handles::text[])
        OR (call_kind = 'macro' AND input->>'chat_id' = $conversationId::bigint::text))`,
  },
  {
    table: 'audit_log',
    sql: `UPDATE audit_log SET detail = '' WHERE workspace_id = $workspaceId AND detail ~ $pattern`,
  },
  {
    table: 'security_log',
    // That it was done stays, and what was asked for can be compared, but not read.
    sql: `UPDATE security_log
      SET given = jsonb_build_object('sha256', encode(sha256(convert_to(given::text, 'UTF8')), 'hex'))
      WHERE workspace_id = $workspaceId AND given::text ~ $pattern`,
  },
  {
    table: 'events',
    // The trail of other things, tickets and the workspace, goes on without what named the contact.
    sql: `UPDATE events SET changes = '{}', data = '{}' WHERE workspace_id = $workspaceId
      AND (changes::text ~ $pattern OR data::text ~ $pattern)`,
  },
  {
    table: 'webhook_events',
    // Nothing that happened is left out of what receivers are told: an event goes on with ids alone.
    sql: `UPDATE webhook_events SET changes = NULL, contact_ids = '{}', set_aside_reason = '',
        data = CASE WHEN data::text ~ $pattern THEN '{}' ELSE data END,
        payload = CASE WHEN payload IS NOT NULL THEN json_build_object('id', payload->'id', 'type', payload->'type',
          'created_at', payload->'created_at', 'workspace_id', payload->'workspace_id',
          'sequence', payload->'sequence', 'data', CASE WHEN payload->'data'->'ticket' IS NULL
            THEN json_build_object('id', payload->'data'->'id')
            ELSE json_build_object('id', payload->'data'->'id',
              'ticket', json_build_object('id', payload->'data'->'ticket'->'id')) END) END
      WHERE workspace_id = $workspaceId
      AND (contact_ids @> ARRAY[$conversationId::bigint] OR (subject_type = 'contact' AND subject_id = $conversationId)
        OR payload::text ~ $pattern OR changes::text ~ $pattern OR data::text ~ $pattern)`,
  },
  {
    table: 'webhook_deliveries',
    sql: `UPDATE webhook_deliveries SET last_error = '', actions = NULL
      WHERE workspace_id = $workspaceId AND (last_error ~ $pattern OR actions::text ~ $pattern)`,
  },
  {
    table: 'broadcasts',
    sql: `UPDATE broadcasts SET audience = jsonb_set(audience, '{receiver_ids}', coalesce((
        SELECT jsonb_agg(item) FROM jsonb_array_elements(audience->'receiver_ids') AS item
        WHERE NOT (item #>> '{}') ~ $pattern), '[]'))
      WHERE workspace_id = $workspaceId AND jsonb_typeof(audience->'receiver_ids') = 'array'
        AND (audience->'receiver_ids')::text ~ $pattern`,
  },
  {
    table: 'macro_runs',
    // A run that waits with sends that were approved has nothing to send any more: it fails.
    sql: `UPDATE macro_runs SET frozen = CASE WHEN frozen IS NOT NULL THEN '[]'::jsonb END,
        ran = coalesce((SELECT jsonb_agg(item || '{"detail": ""}') FROM jsonb_array_elements(ran) AS item), ran),
        failed_step = failed_step - 'why' || '{"message": ""}',
        -- The steps of an answer to a webhook speak of whoever the event was about.
        actions = CASE WHEN macro_id IS NULL OR actions::text ~ $pattern THEN '[]' ELSE actions END
      WHERE workspace_id = $workspaceId AND (conversation_id = $conversationId
        OR macro_id IS NULL AND ticket_id IN (
          SELECT id FROM tickets WHERE workspace_id = $workspaceId AND receiver_id = $conversationId
          UNION SELECT ticket_id FROM ticket_contacts WHERE contact_id = $conversationId)
        OR ran::text ~ $pattern OR failed_step::text ~ $pattern OR actions::text ~ $pattern
        OR frozen::text ~ $pattern OR ${sentTo('frozen')})`,
  },
];

/** Erases a contact with all that carries it; an opt-out leaves a keyed hash behind. */
export async function deleteContact(ctx: Ctx, handle: string): Promise<void> {
  const { models } = ctx.runtime.db;
  await ctx.runtime.db.transaction(async () => {
    const identity = await identityToErase(ctx, await findContact(ctx, handle));
    await eraseReceived(ctx, identity);
    const contact = await findContact(ctx, handle, true);
    await ctx.precondition?.();
    // It was merged meanwhile, and what was looked for is not all of the other one: asked again, all of it goes.
    if (contact.id !== identity.conversationId) throw notFound();
    const identities = [contact, ...(await otherLinesOf(ctx, contact.id))];
    if (contact.marketing_opt_out) await rememberOptOut(ctx, contact, identities);
    else await forgetMarks(ctx, ...identities);
    await eraseTraces(ctx, identity);

    // The trail holds names and addresses as old values: it goes with the contact.
    await eraseScheduled(ctx, contact.id);
    await passHistory(ctx, contact.id, null);
    await of(ctx, models.Contact).destroy({ where: { id: contact.id } });
    await recordEvent(ctx, { subjectType: 'contact', subjectId: contact.id, kind: 'contact_deleted' });
  });
}

/** Returns every handle by which the contact may be named somewhere, former ones included. */
async function identityToErase(ctx: Ctx, contact: ContactView): Promise<ErasedIdentity> {
  const former = await of(ctx, ctx.runtime.db.models.ContactAlias).findAll({
    attributes: ['value'],
    where: { contact_id: contact.id, kind: ['receiver_id', 'phone', 'bsuid'] },
    raw: true,
  });
  const own = [contact.receiver_id, contact.phone, contact.bsuid].filter((value) => value !== null);
  // A conversation has the id of its contact.
  return { conversationId: contact.id, handles: [...own, ...former.map(({ value }) => value)].flatMap(spellingsOf) };
}

/**
 * Erases what was received from a contact: raw events and early statuses. Runs before the contact is locked: the
 * processing of an event locks its row first and then the contact, so the other order could deadlock.
 */
async function eraseReceived(ctx: Ctx, identity: ErasedIdentity): Promise<void> {
  await ctx.runtime.db.rows(`SET LOCAL statement_timeout = ${searchMs}`);
  const bind = bindOf(ctx, identity);
  for (const { sql } of receivedTraces) await ctx.runtime.db.rows(sql, bind);
}

/**
 * Erases a contact from every other row that carries it without referring to it, in the same transaction. Kept answers
 * are emptied, audit digests stay digests.
 */
async function eraseTraces(ctx: Ctx, identity: ErasedIdentity): Promise<void> {
  const bind = bindOf(ctx, identity);
  for (const { sql } of otherTraces) await ctx.runtime.db.rows(sql, bind);
  await eraseAnswers(ctx.runtime.db, ctx.workspaceId, identity.handles);
}

function bindOf(ctx: Ctx, identity: ErasedIdentity): Bind {
  const handles = [...new Set(identity.handles)];
  const escaped = handles.map((handle) => handle.replaceAll(/[^A-Za-z0-9]/g, '\\$&'));
  return {
    workspaceId: ctx.workspaceId,
    conversationId: identity.conversationId,
    handles,
    pattern: `(^|[^A-Za-z0-9])(${escaped.join('|')})($|[^A-Za-z0-9])`,
  };
}
