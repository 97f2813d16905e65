import { choice, described, input, object, required, text } from '../../../core/http/fields';

/** The lists that the inbox begins with. */
const inboxViewNames = ['waiting', 'mine', 'unassigned', 'open', 'snoozed', 'resolved', 'all'] as const;
export type InboxViewName = (typeof inboxViewNames)[number];

const filter = text({ max: 255, blank: false });

/** What a view shows: one of these lists, and filters of `GET /conversations/` within it. */
const viewFilters = object(
  {
    view: described(choice(inboxViewNames), 'The list that the filters narrow.'),
    search: filter,
    status: filter,
    assigned_member: described(filter, 'An `id`, `none`, or `me`.'),
    assigned_team_inbox: filter,
    priority: filter,
    tag: filter,
    unread: filter,
    window_open: filter,
  },
  'ViewFilters',
);

/** `POST /views/`. */
export const createViewInput = input({
  name: required(text({ max: 64, blank: false })),
  filters: required(viewFilters),
});
