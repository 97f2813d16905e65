/*
 * What each control of the dashboard that writes has to leave in the database: a control that is in no row here fails
 * the test that goes through all of them (test/faults/everyControl.test.ts).
 */
import { hashPassword } from '../../api/core/secrets';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, step } from '../factories/macros';
import { createPipeline, createTicket } from '../factories/tickets';
import { uniquePhone } from '../factories/unique';
import { accountWrites } from './accountWrites';
import { approvalWrites } from './approvalWrites';
import { contact, fresh, inboxWrites, post, someTemplate } from './inboxWrites';
import { count, shown, told, valueOf, type Place, type Row, type Write } from './storedRows';
import { ruleWrites } from './ruleWrites';
import { ticketWrites } from './ticketWrites';

const rateOf = (mark: string): string =>
  `country,category,rate,currency\n*,${mark.toLowerCase().replace(/[^a-z]/g, '_')},1,EUR`;
const named = (table: string, column = 'name'): Row => count(table, `${column} = $mark`);

const gone = (table: string): Pick<Write, 'row' | 'is'> => ({
  row: count(table, 'id = $id', ({ made }) => made),
  is: 0,
});

const draft = async (place: Place): Promise<number> =>
  createBroadcast(place.show.workspace, {
    name: `Draft ${place.mark}`,
    template_id: await someTemplate(place),
    audience: { tags_any: ['b2b'] },
    template_variables: {
      header: { 1: { source: 'static', value: '1' } },
      body: { 1: { source: 'field', field: 'name' }, 2: { source: 'static', value: 'here' } },
    },
  });
/** Nobody is at its address: it may have been switched off for that. */
const listening = ({ show }: Place): Promise<unknown> =>
  show.workspace.server.runtime.db.rows(
    'UPDATE webhook_subscriptions SET is_active = true, disabled_at = NULL, failing_since = NULL WHERE id = $id',
    { id: show.webhook },
  );
const property = (name: string, expression: string, write: Partial<Write> = {}): [string, Write] => [
  `POST contacts/:receiver_id/edit/ ${name}`,
  { at: ({ show }) => `/dashboard/contacts/${show.receiver}/`, row: contact(expression), ...write },
];
const newTicket = async ({ show }: Place): Promise<number> => (await createTicket(show.workspace)).id;
const stageOf = (place: Place): string => `/dashboard/pipelines/${place.show.pipeline}/stages/${place.show.stage}/`;

const password = 'Long-enough-9';

/** By what the control does. They are used in this order: what takes something away comes last. */
export const controlWrites: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...inboxWrites,
  [
    'POST inbox/views/:id/delete/',
    {
      ...fresh('/dashboard/inbox/?saved=$', async (place) =>
        Number(
          await valueOf(
            place,
            `INSERT INTO saved_views (workspace_id, member_id, name, filters) VALUES ($w, $member, $mark, '{}')
             RETURNING id AS it`,
            { member: place.member.id },
          ),
        ),
      ),
      ...gone('saved_views'),
    },
  ],
  [
    'POST concerns/read/',
    {
      ...fresh('/dashboard/concerns/', async (place) =>
        Number(
          await valueOf(
            place,
            `INSERT INTO concerns (workspace_id, member_id, kind, ticket_id) VALUES ($w, $member, 'assigned', $ticket)
             RETURNING id AS it`,
            { member: place.member.id, ticket: place.show.ticket },
          ),
        ),
      ),
      row: count('concerns', 'read_at IS NOT NULL'),
    },
  ],
  [
    'POST account/settings/',
    {
      fill: { undo_send: 'true', opens_next: 'true', takes_answered: 'true', language: 'en' },
      row: told('members', `undo_send AND opens_next AND takes_answered AND locale = 'en'`, ({ member }) => member.id),
      is: true,
    },
  ],
  [
    'POST account/notifications/',
    {
      fill: { notify_unassigned: 'off', quiet_from: '22:00', quiet_until: '07:00' },
      row: told('members', `concat(notify_unassigned, ' ', quiet_from)`, ({ member }) => member.id),
      is: 'off 22:00',
    },
  ],
  ['POST account/away/ is_away=true', { row: told('members', 'is_away', ({ member }) => member.id), is: true }],
  [
    'POST inbox/:receiver/handover/',
    {
      at: ({ show }) => `/dashboard/inbox/${show.receiver}/`,
      fill: ({ mark, show }) => ({ note: mark, to: `assigned_team_inbox-${show.inbox}` }),
      row: named('conversation_notes', 'body'),
      is: 1,
    },
  ],
  ['POST inbox/views/', { fill: ({ mark }) => ({ name: mark }), row: named('saved_views'), is: 1 }],
  [
    'POST replies/new/',
    { fill: ({ mark }) => ({ shortcut: mark, body: 'Hi' }), row: named('canned_replies', 'shortcut'), is: 1 },
  ],
  ['POST replies/:id/', { fill: ({ mark }) => ({ body: mark }), row: named('canned_replies', 'body'), is: 1 }],
  [
    'POST replies/:id/delete/',
    {
      ...fresh('/dashboard/replies/$/', (place) =>
        post(place, 'canned-replies', { shortcut: place.mark, body: 'Gone', is_shared: true }),
      ),
      ...gone('canned_replies'),
    },
  ],
  ['POST contacts/new/', { fill: ({ mark }) => ({ phone: uniquePhone(), name: mark }), row: named('contacts'), is: 1 }],
  [
    'POST contacts/import/',
    {
      fill: ({ mark }) => ({ file: `phone,company\n${uniquePhone()},Row ${mark}\n` }),
      row: count('contacts', `company = 'Row ' || $mark`),
      is: 1,
    },
  ],
  ...['name', 'email', 'company', 'notes'].map((name) =>
    property(name, `${name} = $mark || '@desk.test'`, {
      fill: ({ mark }) => ({ [name]: `${mark}@desk.test` }),
      is: true,
    }),
  ),
  property('tags', 'tags ? $mark', { fill: ({ mark }) => ({ tags: `b2b, ${mark}` }), is: true }),
  ...Object.entries({ note: 'Changed again', size: '8', since: '2022-03-04' }).map(([name, value]) =>
    property(`custom.${name}`, `custom_fields->>'${name}'`, { fill: { [`custom.${name}`]: value } }),
  ),
  ...['kinds', 'member', 'level'].map((name) => property(`custom.${name}`, `custom_fields->>'${name}'`)),
  ...['true', 'false'].map((value): [string, Write] => [
    `POST contacts/:receiver_id/opt-out/ marketing_opt_out=${value}`,
    {
      at: ({ show }) => `/dashboard/contacts/${show.receiver}/`,
      row: contact('marketing_opt_out::text'),
      is: value,
    },
  ]),
  ...ticketWrites,
  ...ruleWrites,
  [
    'POST pipelines/new/',
    { fill: ({ mark }) => ({ name: mark, stages: 'One\nTwo' }), row: named('ticket_pipelines'), is: 1 },
  ],
  [
    'POST pipelines/:id/',
    {
      fill: ({ mark }) => ({ name: `P ${mark}` }),
      row: count('ticket_pipelines', `name = 'P ' || $mark`),
      is: 1,
    },
  ],
  [
    'POST pipelines/:id/place/ position=#',
    {
      row: (place) =>
        valueOf(
          place,
          `SELECT string_agg(id::text, ' ' ORDER BY position) AS it FROM ticket_pipelines
          WHERE workspace_id = $w`,
        ),
    },
  ],
  [
    'POST pipelines/:id/stages/:stage_id/ (a new one)',
    {
      at: ({ show }) => `/dashboard/pipelines/${show.pipeline}/stages/new/`,
      fill: ({ mark }) => ({ name: mark, color: '#112233' }),
      row: named('ticket_stages'),
      is: 1,
    },
  ],
  [
    'POST pipelines/:id/stages/:stage_id/',
    {
      at: stageOf,
      fill: ({ mark }) => ({ name: `S ${mark}` }),
      row: count('ticket_stages', `name = 'S ' || $mark`),
      is: 1,
    },
  ],
  [
    'POST pipelines/:id/stages/:stage_id/place/ position=#',
    { row: told('ticket_stages', 'sum(id * position)::text', ({ show }) => show.pipeline, 'pipeline_id') },
  ],
  [
    'POST api-keys/new/',
    { fill: ({ mark }) => ({ name: mark, scopes: 'contact.view' }), row: named('api_keys'), is: 1 },
  ],
  ['POST agents/:id/autonomy/ autonomy', { row: count('oauth_grants', `autonomy = 'approval'`) }],
  [
    'POST agents/clients/new/',
    {
      fill: ({ mark }) => ({ name: mark, redirect_uris: 'https://agent.example/callback' }),
      row: named('oauth_clients'),
      is: 1,
    },
  ],
  // No document can be read from here: that is said, and nothing is stored.
  [
    'POST agents/clients/by-document/',
    { at: () => '/dashboard/agents/clients/new/', row: shown('.note-bad, .field-error, .toast-bad') },
  ],
  [
    'POST members/new/',
    { fill: ({ mark }) => ({ email: `${mark}@desk.test`, name: mark }), row: named('members'), is: 1 },
  ],
  [
    'POST members/:id/',
    {
      fill: ({ mark }) => ({ name: `Kim ${mark}` }),
      row: told('members', `name = 'Kim ' || $mark`, ({ show }) => show.member),
      is: true,
    },
  ],
  [
    'POST members/:id/forget-factors/',
    {
      at: ({ show }) => `/dashboard/members/${show.member}/`,
      prepare: (place) =>
        valueOf(place, `INSERT INTO factors (member_id, kind, name) VALUES ($id, 'totp', 'App') RETURNING id AS it`, {
          id: place.show.member,
        }),
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM factors WHERE member_id = $id', { id: place.show.member }),
      is: 0,
    },
  ],
  [
    'POST members/:id/end-sessions/',
    {
      at: ({ show }) => `/dashboard/members/${show.member}/`,
      row: count('security_log', `action = 'teamMembers.endSessions'`),
    },
  ],
  [
    'POST members/:id/link/',
    {
      row: (place) =>
        valueOf(place, 'SELECT token_hash AS it FROM member_links WHERE member_id = $id', { id: place.show.member }),
    },
  ],
  [
    'POST custom-fields/new/',
    {
      fill: ({ mark }) => ({
        name: mark.replace(/\W/g, '_'),
        label: mark,
        field_type: 'text',
        applies_to: 'contacts',
      }),
      row: named('custom_fields', 'label'),
      is: 1,
    },
  ],
  [
    'POST custom-fields/:id/',
    {
      fill: ({ mark }) => ({ label: `L ${mark}` }),
      row: told('custom_fields', `label = 'L ' || $mark`, ({ show }) => show.field),
      is: true,
    },
  ],
  ['POST usage/rates/', { fill: ({ mark }) => ({ csv: rateOf(mark) }), row: count('message_rates') }],
  ['POST hours/new/', { fill: ({ mark }) => ({ name: mark, monday: '9-17' }), row: named('calendars'), is: 1 }],
  [
    'POST hours/:id/',
    {
      fill: ({ mark }) => ({ name: `H ${mark}` }),
      row: told('calendars', `name = 'H ' || $mark`, ({ show }) => show.calendar),
      is: true,
    },
  ],
  [
    'POST sla-policies/new/',
    {
      fill: ({ mark }) => ({ name: mark, resolution_minutes: '60', applies_to: 'tickets' }),
      row: named('sla_policies'),
      is: 1,
    },
  ],
  [
    'POST sla-policies/:id/',
    {
      fill: ({ mark }) => ({ name: `G ${mark}` }),
      row: told('sla_policies', `name = 'G ' || $mark`, ({ show }) => show.policy),
      is: true,
    },
  ],
  ['POST team-inboxes/new/', { fill: ({ mark }) => ({ name: mark }), row: named('team_inboxes'), is: 1 }],
  [
    'POST team-inboxes/:id/',
    {
      fill: ({ mark }) => ({ name: `O ${mark}` }),
      row: told('team_inboxes', `name = 'O ' || $mark`, ({ show }) => show.inbox),
      is: true,
    },
  ],
  [
    'POST team-inboxes/:id/assignment/',
    {
      fill: { mode: 'round_robin' },
      row: told('team_inboxes', 'assignment', ({ show }) => show.inbox),
      is: 'round_robin',
    },
  ],
  ['POST broadcasts/new/ template_id', { row: shown('[name=body_1_source]'), is: 1 }],
  [
    'POST broadcasts/new/',
    {
      // Only a name: the draft is refused, and nothing is stored.
      fill: ({ mark }) => ({ name: mark }),
      row: shown('.field-error:not(:empty)'),
    },
  ],
  [
    'POST broadcasts/:id/',
    {
      fill: ({ mark }) => ({ name: `B ${mark}` }),
      row: told('broadcasts', `name = 'B ' || $mark`, ({ show }) => show.draft),
      is: true,
    },
  ],
  [
    'POST broadcasts/:id/confirm/',
    {
      ...fresh('/dashboard/broadcasts/$/confirm/', draft),
      fill: { when: 'later', scheduled_at: '2031-05-04T09:00', sure: 'true' },
      row: told('broadcasts', 'status', ({ made }) => made),
      is: 'scheduled',
    },
  ],
  [
    'POST broadcasts/:id/confirm/ (at once)',
    {
      ...fresh('/dashboard/broadcasts/$/confirm/', draft),
      fill: { when: 'now', sure: 'true' },
      row: told('broadcasts', `status IN ('running', 'completed')`, ({ made }) => made),
      is: true,
    },
  ],
  ['POST broadcasts/:id/unschedule/', { row: told('broadcasts', 'status', ({ show }) => show.scheduled), is: 'draft' }],
  ['POST broadcasts/:id/resend/', { row: count('broadcasts') }],
  ['POST macros/new/ do=add', { row: shown('.step'), is: 1 }],
  ['POST macros/new/ do=check', { row: shown('.note-bad, .field-error') }],
  ['POST macros/new/ do=save', { row: shown('.note-bad, .field-error') }],
  ['POST macros/:id/ do=add', { row: shown('.step') }],
  ['POST macros/:id/ do=remove:#', { row: shown('.step') }],
  ['POST macros/:id/ do=check', { row: shown('[role=status].note'), is: 1 }],
  ['POST macros/:id/ step-#-body', { fill: { body: 'Hello {{who}}' }, row: shown('[name$=_source]'), is: 1 }],
  ...['up', 'down'].map((verb): [string, Write] => [
    `POST macros/:id/ do=${verb}:#`,
    { row: ({ page }) => page.locator('.step-head strong').allTextContents() },
  ]),
  [
    'POST macros/:id/ do=save',
    {
      fill: ({ mark }) => ({ name: `M ${mark}` }),
      row: told('macros', `name = 'M ' || $mark`, ({ show }) => show.macro),
      is: true,
    },
  ],
  ['POST webhooks/:id/test/', { prepare: listening, row: count('webhook_events', `type LIKE '%test'`) }],
  [
    'POST webhooks/:id/deliveries/:delivery_id/redeliver/',
    {
      prepare: listening,
      // Nobody is at the address: it is delivered no more.
      at: ({ show }) => `/dashboard/webhooks/${show.webhook}/?status=delivered`,
      row: count('webhook_deliveries', `state = 'delivered'`),
      is: 0,
    },
  ],
  [
    'POST webhooks/:id/replay/',
    {
      prepare: listening,
      fill: { from: '2020-01-01T09:00' },
      // Which events are due again depends on what was told by then: test/api/webhooks looks at the rows.
      row: shown('.toast:not(.toast-bad)'),
      is: 1,
    },
  ],
  [
    'POST webhooks/:id/edit/',
    {
      fill: ({ mark }) => ({ description: mark }),
      row: told('webhook_subscriptions', 'description = $mark', ({ show }) => show.webhook),
      is: true,
    },
  ],
  [
    'POST webhooks/new/',
    {
      fill: ({ mark }) => ({ url: 'https://example.com/', description: `New ${mark}`, events: '*' }),
      row: count('webhook_subscriptions', `description = 'New ' || $mark`),
      is: 1,
    },
  ],
  ['POST webhooks/:id/rotate/', { row: told('webhook_subscriptions', 'sealed_secret', ({ show }) => show.webhook) }],
  [
    'POST webhooks/:id/deactivate/',
    { prepare: listening, row: told('webhook_subscriptions', 'is_active', ({ show }) => show.webhook), is: false },
  ],
  [
    'POST webhooks/:id/activate/',
    {
      at: ({ show }) => `/dashboard/webhooks/${show.disabledWebhook}/`,
      row: told('webhook_subscriptions', 'is_active', ({ show }) => show.disabledWebhook),
      is: true,
    },
  ],
  ...approvalWrites,
  [
    'POST workspace/',
    {
      fill: ({ mark }) => ({ name: mark }),
      row: (place) => valueOf(place, 'SELECT name = $mark AS it FROM workspaces WHERE id = $w'),
      is: true,
    },
  ],
  ['POST sso/', { fill: ({ mark }) => ({ client_id: mark }), row: named('sso_providers', 'client_id'), is: 1 }],
  [
    'POST plan/',
    {
      fill: { plan: 'pro' },
      row: (place) => valueOf(place, 'SELECT plan AS it FROM workspaces WHERE id = $w'),
      is: 'pro',
    },
  ],

  // What takes something away.
  [
    'POST contacts/:receiver_id/merge/',
    {
      ...fresh('/dashboard/contacts/$', async ({ show, mark }) => {
        const name = `Merge ${mark}`;
        const [kept, gone] = [
          await createContact(show.workspace, { name }),
          await createContact(show.workspace, { name }),
        ];
        return `${kept.receiver_id}/merge/?with=${gone.receiver_id}`;
      }),
      row: count('contacts', `name = 'Merge ' || $mark`),
      is: 1,
    },
  ],
  [
    'POST contacts/:receiver_id/erase/',
    {
      ...fresh('/dashboard/contacts/$/', async ({ show, mark }) =>
        String((await createContact(show.workspace, { name: `Erase ${mark}` })).receiver_id),
      ),
      row: count('contacts', `name = 'Erase ' || $mark`),
      is: 0,
    },
  ],
  ['POST tickets/:id/delete/', { ...fresh('/dashboard/tickets/$/', newTicket), ...gone('tickets') }],
  [
    'POST pipelines/:id/stages/:stage_id/delete/',
    {
      ...fresh('/dashboard/pipelines/$/delete/', async ({ show }) => {
        const pipeline = await createPipeline(show.workspace, ['One', 'Two']);
        return `${pipeline.id}/stages/${pipeline.stages[0]?.id ?? 0}`;
      }),
      row: count('ticket_stages', 'id = $id', ({ made }) => Number(String(made).split('/').at(-1))),
      is: 0,
    },
  ],
  [
    'POST pipelines/:id/delete/',
    {
      ...fresh('/dashboard/pipelines/$/delete/', async ({ show }) => (await createPipeline(show.workspace)).id),
      ...gone('ticket_pipelines'),
    },
  ],
  [
    'POST custom-fields/:id/delete/',
    {
      ...fresh('/dashboard/custom-fields/$/', (place) =>
        post(place, 'custom-fields', {
          name: `d_${place.mark.replace(/\W/g, '_')}`,
          label: 'Gone',
          field_type: 'text',
          applies_to: ['contacts'],
        }),
      ),
      row: count('custom_fields', 'id = $id AND deleted_at IS NULL', ({ made }) => made),
      is: 0,
    },
  ],
  [
    'POST hours/:id/delete/',
    {
      ...fresh('/dashboard/hours/$/', (place) =>
        post(place, 'calendars', { name: 'Gone', periods: [{ weekday: 'monday', opens: '09:00', closes: '17:00' }] }),
      ),
      ...gone('calendars'),
    },
  ],
  [
    'POST sla-policies/:id/delete/',
    {
      ...fresh('/dashboard/sla-policies/$/', (place) =>
        post(place, 'sla-policies', { name: 'Gone', resolution_minutes: 60, applies_to: ['tickets'] }),
      ),
      ...gone('sla_policies'),
    },
  ],
  [
    'POST team-inboxes/:id/delete/',
    {
      ...fresh('/dashboard/team-inboxes/$/', async ({ show }) => createTeamInbox(show.workspace)),
      ...gone('team_inboxes'),
    },
  ],
  ['POST broadcasts/:id/delete/', { ...fresh('/dashboard/broadcasts/$/', draft), ...gone('broadcasts') }],
  [
    'POST macros/:id/delete/',
    {
      prepare: ({ show }) => createMacro(show.workspace, [step('add_tags', { tags: ['a'] })], 'A first one'),
      row: count('macros'),
    },
  ],
  [
    'POST webhooks/:id/delete/',
    {
      ...fresh('/dashboard/webhooks/$/', (place) =>
        post(place, 'webhooks', { url: 'https://example.com/gone', events: ['ticket.created'] }),
      ),
      ...gone('webhook_subscriptions'),
    },
  ],
  ['POST api-keys/:id/revoke/', { row: count('api_keys', 'revoked_at IS NULL') }],
  ['POST agents/:id/disconnect/', { row: count('oauth_grants', 'revoked_at IS NULL') }],
  ['POST agents/clients/:id/disable/', { row: count('oauth_clients', 'disabled_at IS NULL') }],
  [
    'POST verify/',
    {
      prepare: async ({ show, member }) =>
        show.workspace.server.runtime.db.rows('UPDATE members SET password_hash = $hash WHERE id = $me', {
          hash: await hashPassword(password),
          me: member.id,
        }),
      fill: { proof_password: password },
      row: (place) =>
        valueOf(place, 'SELECT max(verified_at)::text AS it FROM sessions WHERE member_id = $me', {
          me: place.member.id,
        }),
    },
  ],
  ...accountWrites,
]);
