import { ownerSession } from '../factories/macros';
import { count, shown, told, valueOf, type Place, type Row, type Write } from './storedRows';

const named = (table: string, column: string): Row => count(table, `${column} = $mark`);
export const contact = (expression: string): Row =>
  told('contacts', expression, ({ show }) => show.receiver, 'receiver_id');
const conversation =
  (expression: string): Row =>
  (place) =>
    valueOf(
      place,
      `SELECT ${expression} AS it FROM conversations v JOIN contacts c ON c.id = v.contact_id
        WHERE c.workspace_id = $w AND c.receiver_id = $id`,
      { id: place.show.receiver },
    );
export const fresh = (
  path: string,
  make: (place: Place) => Promise<number | string>,
): Pick<Write, 'at' | 'prepare'> => ({
  prepare: async (place) => (place.made = await make(place)),
  at: ({ made }) => path.replace('$', String(made)),
});
export const post = async (place: Place, path: string, body: object): Promise<number> => {
  const answer = await (await ownerSession(place.show.workspace)).api.post(`/api/v1/${path}/`, body);
  if (answer.status >= 300) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`);
  return Number(answer.body['id']);
};
const state = (change: string, expression: string, is: unknown = true): [string, Write] => [
  `POST inbox/:receiver/state/ ${change}`,
  { at: ({ show }) => `/dashboard/inbox/${show.receiver}/`, row: conversation(expression), is },
];
const detail = (change: string, expression: string, write: Partial<Write> = {}): [string, Write] => [
  `POST inbox/:receiver/details/ form=${change}`,
  { at: ({ show }) => `/dashboard/inbox/${show.receiver}/`, row: contact(expression), is: true, ...write },
];
const sent = (body: string): Row =>
  count('messages', `direction = 'outbound' AND body::text LIKE '%' || ${body} || '%'`);
export const someTemplate = ({ show, ...place }: Place): Promise<unknown> =>
  valueOf(
    { show, ...place },
    `SELECT template_id AS it FROM templates WHERE workspace_id = $w AND name = 'order_update'`,
  );
/** So that every time of the menu is within the window of the customer. */
const longWindow = ({ show }: Place): Promise<unknown> =>
  show.workspace.server.runtime.db.rows(
    `WITH v AS (UPDATE conversations SET active_till = now() + interval '9 days' WHERE workspace_id = $w RETURNING id)
     UPDATE conversation_windows w SET open_until = now() + interval '9 days' FROM v WHERE w.conversation_id = v.id`,
    { w: show.workspace.id },
  );
const inTwoHours = (): string => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 16);
const sentLater = (mode: string, query: string, fill: (mark: string) => Record<string, string>): [string, Write][] =>
  ['send_at=local', 'send_at=#'].map((when) => [
    `POST inbox/:receiver/messages/ mode=${mode} ${when}`,
    {
      prepare: longWindow,
      at: async (place) =>
        `/dashboard/inbox/${place.show.receiver}/?compose=${query}&template_id=${String(await someTemplate(place))}`,
      fill: ({ mark }) => ({ ...fill(`${mark} ${when}`), send_local: inTwoHours() }),
      row: count('scheduled_messages', `body::text LIKE '%' || $mark || ' ${when}%'`),
      is: 1,
    },
  ]);
const sentAndDone = (mode: string, fill: (mark: string) => Record<string, string>): [string, Write][] => [
  [
    `POST inbox/:receiver/messages/ mode=${mode} then=done`,
    {
      prepare: ({ show }) =>
        show.workspace.server.runtime.db.rows(
          `UPDATE conversations SET conv_status = 'open', snoozed_until = NULL, resolved_at = NULL
            WHERE workspace_id = $w`,
          { w: show.workspace.id },
        ),
      at: async (place) =>
        `/dashboard/inbox/${place.show.receiver}/?compose=${mode}&template_id=${String(await someTemplate(place))}`,
      fill: ({ mark }) => fill(mark),
      row: async (place) =>
        `${String(await conversation('v.conv_status')(place))} ${String(await sent(`'Done ' || $mark`)(place))}`,
      is: 'resolved 1',
    },
  ],
];
const laterWrite = (what: string, write: Pick<Write, 'fill'> & { where: string; is: number }): [string, Write] => [
  `POST inbox/:receiver/later/${what}`,
  {
    ...fresh('/dashboard/inbox/$/', async (place) => {
      await longWindow(place);
      await place.show.workspace.server.runtime.db.rows('DELETE FROM scheduled_messages WHERE workspace_id = $w', {
        w: place.show.workspace.id,
      });
      await post(place, 'messages', { to: place.show.receiver, body: 'Later', send_at: `${inTwoHours()}Z` });
      return place.show.receiver;
    }),
    fill: write.fill ?? {},
    row: count('scheduled_messages', write.where),
    is: write.is,
  },
];

/** What the controls of the inbox leave. They come first: what takes something away comes last. */
export const inboxWrites: ReadonlyMap<string, Write> = new Map<string, Write>([
  state('assigned_member=#', 'v.assigned_member_id IS NOT NULL'),
  state('assigned_member=', 'v.assigned_member_id IS NULL'),
  state('assigned_team_inbox=', 'v.assigned_team_inbox_id IS NULL'),
  state('assigned_team_inbox=#', 'v.assigned_team_inbox_id IS NOT NULL'),
  ...['low', 'normal', 'high', 'urgent'].map((value) => state(`priority=${value}`, 'v.priority', value)),
  ...['pending', 'converted', 'spam', 'open', 'resolved'].map((value) =>
    state(`conv_status=${value}`, 'v.conv_status', value),
  ),
  state('conv_status=snoozed until=#', `v.conv_status = 'snoozed' AND v.snoozed_until > now()`),
  [
    'POST inbox/:receiver/state/ conv_status=snoozed',
    {
      fill: { until_local: '2031-05-04T10:00' },
      row: conversation(`to_char(v.snoozed_until AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-DD HH24:MI')`),
      is: '2031-05-04 10:00',
    },
  ],
  // What it would send is shown before it runs.
  ['POST inbox/:receiver/macro/ macro=#', { row: shown('#macro-preview[open] .says'), is: 1 }],
  [
    'POST inbox/:receiver/messages/ mode=text',
    { fill: ({ mark }) => ({ body: `Text ${mark}` }), row: sent(`'Text ' || $mark`), is: 1 },
  ],
  [
    'POST inbox/:receiver/messages/ mode=template',
    {
      at: async (place) =>
        `/dashboard/inbox/${place.show.receiver}/?compose=template&template_id=${String(await someTemplate(place))}`,
      fill: ({ mark }) => ({ 'header.1': '7', 'body.1': 'Anna', 'body.2': `here ${mark}` }),
      row: sent(`'here ' || $mark`),
      is: 1,
    },
  ],
  [
    'POST inbox/:receiver/messages/ mode=choices',
    { fill: ({ mark }) => ({ body: `Choice ${mark}`, choices: 'Yes\nNo' }), row: sent(`'Choice ' || $mark`), is: 1 },
  ],
  ...sentAndDone('text', (mark) => ({ body: `Done ${mark}` })),
  ...sentAndDone('template', (mark) => ({ 'header.1': '7', 'body.1': 'Anna', 'body.2': `Done ${mark}` })),
  ...sentAndDone('choices', (mark) => ({ body: `Done ${mark}`, choices: 'Yes' })),
  ...sentLater('text', 'text', (mark) => ({ body: `Text ${mark}` })),
  ...sentLater('template', 'template', (mark) => ({ 'header.1': '7', 'body.1': 'Anna', 'body.2': mark })),
  ...sentLater('choices', 'choices', (mark) => ({ body: mark, choices: 'Yes' })),
  laterWrite('', { fill: { body: 'Another text' }, where: `body::text LIKE '%Another text%'`, is: 1 }),
  laterWrite(' what=now', { where: 'true', is: 0 }),
  laterWrite(' what=not', { where: 'true', is: 0 }),
  [
    'POST inbox/:receiver/unread/ mark=unread',
    { at: ({ show }) => `/dashboard/inbox/${show.receiver}/`, row: count('unread_marks', 'true'), is: 1 },
  ],
  [
    'POST inbox/:receiver/notes/',
    { fill: ({ mark }) => ({ body: mark }), row: named('conversation_notes', 'body'), is: 1 },
  ],
  [
    'POST inbox/:receiver/messages/ again=#',
    {
      at: ({ show }) => `/dashboard/inbox/${show.receiver}/`,
      // It may have arrived after all.
      prepare: ({ show }) =>
        show.workspace.server.runtime.db.rows(
          `UPDATE messages SET message_status = 'failed', delivery_state = 'settled'
            WHERE workspace_id = $w AND body->'text'->>'body' = 'This one fails'`,
          { w: show.workspace.id },
        ),
      row: sent(`'This one fails'`),
      is: 2,
    },
  ],
  detail('tags tags', 'tags ? $mark', { fill: ({ mark }) => ({ tags: `b2b, ${mark}` }) }),
  ...['name', 'email', 'company', 'notes'].map((name) =>
    detail(`profile ${name}`, `${name} = $mark || '@desk.test'`, {
      fill: ({ mark }) => ({ [name]: `${mark}@desk.test` }),
    }),
  ),
  ...Object.entries({ note: 'Changed', size: '7', since: '2021-03-04', kinds: 'gold' }).map(([name, value]) =>
    detail(`fields custom.${name}`, `custom_fields->>'${name}'`, {
      fill: { [`custom.${name}`]: value },
      is: undefined,
    }),
  ),
  ...['member', 'level'].map((name) => detail(`fields custom.${name}`, `custom_fields->>'${name}'`, { is: undefined })),
  detail('opt_out marketing_opt_out=true', 'marketing_opt_out'),
  detail('opt_out marketing_opt_out=false', 'NOT marketing_opt_out'),
]);
