/** The frame around every page: its places, the member's menu, and what is said of the whole workspace. */
export const frame = {
  lang: 'en',
  skip: 'Skip to the content',
  main: 'Main',
  bar: 'Places',
  more: 'More',
  places: {
    inbox: 'Inbox',
    tickets: 'Tickets',
    contacts: 'Contacts',
    broadcasts: 'Broadcasts',
    approvals: 'Approvals',
    concerns: 'For me',
    pipelines: 'Pipelines',
    macros: 'Macros',
    rules: 'Rules',
    replies: 'Canned replies',
    reports: 'Reports',
    flows: 'Flows',
    settings: 'Settings',
  },
  waiting: 'waiting',
  account: 'Your account:',
  away: 'away',
  goAway: 'I am away',
  goAwayAbout: 'No team inbox gives you conversations until you are back',
  comeBack: 'I am back',
  reference: 'API reference',
  connect: 'How to connect an agent',
  signOut: 'Sign out',
  trial: {
    text:
      'The trial of this workspace has expired. You can read everything and change nothing, and API keys are ' +
      'refused, until a plan is chosen.',
    choose: 'Choose a plan',
    ask: 'An owner can choose one.',
  },
  unpaid:
    'The platform does not deliver what has to be paid for: its payment was refused. Broadcasts wait, and answers ' +
    'that cost something are lost. Settle it at the platform; then a sync by the operator lets everything go out.',
  offline: 'The connection is lost. What you see may be out of date; it catches up by itself.',
  undo: 'Undo',
  confirm: { title: 'Are you sure?', go: 'Go ahead' },
  keys: {
    title: 'Keyboard shortcuts',
    search: 'Search everywhere',
    list: 'This list',
    undo: 'Undo what was just done',
    escape: 'Close a menu, leave a field',
    close: 'Close',
  },
};
