import type { NoticeLevel } from '../../../../../models/enums';

/** How a member is told of what happens. */
export const notifications = {
  title: 'Notifications',
  kinds: {
    notify_assigned: 'A conversation is assigned to me',
    notify_message: 'A customer writes in a conversation of mine',
    notify_unassigned: 'A customer begins to wait in a conversation that nobody has',
    notify_mention: 'I am mentioned in a note or a comment',
    notify_held: 'A message for later of mine is held',
  },
  levels: { off: 'Off', page: 'In open pages', push: 'In open pages, and by push' } satisfies Record<
    NoticeLevel,
    string
  >,
  fields: {
    notify_sound: { label: 'With a sound' },
    quiet_from: { label: 'Quiet from', hint: 'Nothing sounds or is pushed in these hours.' },
    quiet_until: { label: 'Quiet until' },
  },
  save: 'Save the notifications',
  browsers: {
    title: 'Notifications of browsers',
    unknown: 'Unknown browser',
    since: 'takes push since {since}, until its session ends',
    remove: 'Remove',
    removed: 'That browser is told nothing any more.',
    about: 'This browser shows notifications of its own once you turn them on in it.',
    noPush: 'They come while a page is open: this installation has no web push.',
    on: 'Turn on in this browser',
    off: 'Turn off in this browser',
  },
};
