/** Canned replies. */
export const replies = {
  title: 'Canned replies',
  new: 'New reply',
  newTitle: 'New canned reply',
  empty: {
    title: 'No canned replies yet',
    before: 'A text that you send often: type ',
    after: ' and its shortcut in a conversation, and change it before it goes out.',
  },
  team: 'the team’s',
  own: 'yours',
  fields: {
    shortcut: { label: 'Shortcut', hint: 'What you type behind the /' },
    body: {
      label: 'Text',
      hint: '{{name}}, {{first_name}}, {{phone}}, {{email}} and {{company}} stand for the contact.',
    },
    is_shared: { label: 'For the whole team' },
  },
  files: {
    title: 'Files',
    hint: 'Sent with the text, each as a message of its own.',
    add: 'Add files',
  },
  made: (shortcut: string) => `The reply is saved. Type /${shortcut} in a conversation.`,
  saved: 'The reply is saved.',
  deleted: 'The reply is deleted.',
  delete: {
    title: 'Delete this reply?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'It cannot be brought back.',
    button: 'Delete this reply',
  },
};
