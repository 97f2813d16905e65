import { plural } from '../plural';

const webhooks = { one: 'webhook', other: 'webhooks' };
const broadcasts = { one: 'broadcast', other: 'broadcasts' };

/** Members and what they may do. */
export const members = {
  title: 'Members',
  one: 'Member',
  new: 'New member',
  columns: { name: 'Name', role: 'Role', inboxes: 'Team inboxes', since: 'Since' },
  you: 'you',
  inactive: 'inactive',
  none: '–',
  fields: {
    email: 'Email',
    name: 'Name',
    role: 'Role',
    usual: 'Tick what is usual for',
    copy: 'Copy permissions from',
    permissions: 'Permissions',
    is_active: 'Active: may sign in',
    revoke_api_keys: 'Revoke their API keys now',
    disconnect_agents: 'Disconnect the agents that they connected',
  },
  roles: {
    owner: 'Owner: everything',
    admin: 'Admin: everything but billing, unless ticked below',
    agent: 'Agent: the permissions below',
  },
  choose: 'Choose…',
  chooseMember: 'Choose a member…',
  tickTheirs: 'Tick theirs',
  permissionsHint: 'Owners have all of them, admins all but billing, which an owner may tick.',
  linkHint: 'They choose a password by a link, which is mailed to them or shown to you once.',
  away: 'When you take something away',
  add: 'Add the member',
  saved: 'The member is saved.',
  link: {
    make: 'Make a link to choose a password',
    added: 'The member is added',
    made: 'A link for a password',
    give: 'Give them this link: it is shown this once. By it they choose a password, once, until {until}.',
    mailed: 'A link by which they choose a password was mailed to them. It works once, until {until}.',
    label: 'Link',
    done: 'Done',
  },
  sessions: {
    end: 'End their sessions',
    ask: { title: 'End their sessions?', text: 'They are signed out everywhere.', button: 'End them' },
    ended: 'Their sessions have ended.',
  },
  factors: {
    remove: 'Remove their second factors',
    ask: { title: 'Remove their second factors?', text: 'They are signed out.', button: 'Remove' },
    askMore: 'They are signed out, and their password alone lets them in until they set up a new one.',
    removed: 'Their second factors are removed.',
  },
  /** What a member or key made that goes on by itself. */
  stop: {
    webhooks: (count: number) =>
      `Stop ${plural(count, webhooks)}, which would go on telling their receivers what happens`,
    broadcasts: (count: number) => `Unschedule ${plural(count, broadcasts)}`,
  },
  /** What permissions are about. */
  subjects: {
    conversations: 'Conversations',
    contacts: 'Contacts',
    tickets: 'Tickets',
    macros: 'Macros and broadcasts',
    reading: 'Looking things up',
    running: 'Running the workspace',
  },
  usual: { reader: 'Somebody who reads along', agent: 'An agent', lead: 'A team lead' },
};
