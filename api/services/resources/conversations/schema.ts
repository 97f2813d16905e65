import { convStatuses, priorities } from '../../../../models/enums';
import {
  boolean,
  choice,
  commaList,
  datetime,
  described,
  input,
  tags,
  jsonObject,
  nullable,
  pk,
  required,
  text,
} from '../../../core/http/fields';
import { orderingField, pagingQuery, type SortColumn } from '../../../core/http/paging';
import { noneOrPk, profile, tagFilter, timeFilters } from '../contacts/schema';
import { reason } from '../reasons';

/** Columns by which conversations can be ordered; one without messages sorts as the oldest. */
export const conversationSortColumns: Readonly<Record<string, SortColumn>> = {
  last_message_at: { sql: "coalesce(v.last_message_at, 'epoch'::timestamptz)", type: 'timestamptz' },
  created_at: { sql: 'v.created_at', type: 'timestamptz' },
  updated_at: { sql: 'v.updated_at', type: 'timestamptz' },
  last_exchange_at: { sql: "coalesce(v.last_exchange_at, 'epoch'::timestamptz)", type: 'timestamptz' },
};

/** What narrows a list of conversations. */
export const conversationFilters = {
  status: commaList(choice(convStatuses)),
  conv_status: described(commaList(choice(convStatuses)), 'Another name of `status`.'),
  assigned_member: described(noneOrPk(), 'The `id` of a team member, or `none` for no assignee.'),
  assigned_team_inbox: described(noneOrPk(), 'The `id` of a team inbox, or `none`.'),
  priority: commaList(choice(priorities)),
  tag: tagFilter(),
  unread: described(boolean(), 'Whether there are inbound messages that are not read.'),
  window_open: described(boolean(), 'Whether free text may be sent: the 24-hour window is open.'),
  has_messages: described(boolean(), 'Whether any message was ever exchanged.'),
  has_exchange: described(
    boolean(),
    'Whether the customer, a person or an agent ever wrote; broadcasts and stage notifications do not count.',
  ),
  waiting: described(
    boolean(),
    'Whether the customer waits for an answer: open or pending with an inbound message after the last one by a ' +
      'person or an agent, or snoozed with an inbound message since. `true` lists the longest wait first unless ' +
      '`ordering` says otherwise.',
  ),
  updated_after: timeFilters.updated_after,
  search: described(
    text({ max: 255 }),
    'Text that the phone, name, email, company, username or bsuid contains, in upper or lower case.',
  ),
};

/** `GET /conversations/` (contract 6). */
export const listConversationsQuery = input({
  ...conversationFilters,
  search_messages: described(
    text({ max: 255, blank: false, pattern: /[\p{L}\p{N}]/u, patternMessage: reason('noWord') }),
    'Words that one of the messages has, all of them, as `GET /messages/search/` finds them.',
    'order',
  ),
  ordering: orderingField(conversationSortColumns),
  ...pagingQuery,
});

/** Fields of the conversation that both PATCH paths take (contract 5). */
const statePatch = {
  conv_status: choice(convStatuses),
  conversation_status: choice(convStatuses),
  status: choice(convStatuses),
  snoozed_until: nullable(datetime()),
  priority: choice(priorities),
  assigned_member: nullable(pk()),
  assigned_team_inbox: nullable(pk()),
  calling_permission: boolean(),
};

/** `PATCH /contacts/{receiver_id}/`. */
export const updateContactInput = input({ ...profile, ...statePatch });

const note = described(
  text({ blank: false }),
  'Writes a note for the team, in the same transaction; it is never sent, and no answer shows it.',
  'Promised a new parcel by Friday.',
);

/** `PATCH /conversations/{receiver_id}/`: the state of the conversation, tags and custom values, a note beside it. */
export const updateConversationInput = input({
  ...statePatch,
  tags: nullable(tags()),
  custom_fields: jsonObject(),
  note,
});

/** The same for agents: one name for the status. */
export const conversationToolInput = input({
  receiver_id: required(text({ max: 200, blank: false })),
  conv_status: statePatch.conv_status,
  snoozed_until: statePatch.snoozed_until,
  priority: statePatch.priority,
  assigned_member: statePatch.assigned_member,
  assigned_team_inbox: statePatch.assigned_team_inbox,
  tags: nullable(tags()),
  custom_fields: jsonObject(),
  note,
});

/** Paging alone. */
export const pageQuery = input({ ...pagingQuery });
