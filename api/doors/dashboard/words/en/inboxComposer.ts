/** The box below a thread. */
export const composer = {
  what: 'What to send',
  modes: { text: 'Reply', template: 'Template', attachment: 'File', note: 'Note' },
  send: { text: 'Send', template: 'Send template', attachment: 'Send file', note: 'Send' },
  sends: 'sends',
  sendAndDone: { label: 'Send and done', hint: 'Send and done (Ctrl+Shift+Enter)' },
  expired: 'The trial has expired: nothing can be sent until a plan is chosen.',
  readOnly: 'You may read this conversation. To answer, you need the permission chat.send_message.',
  answering: (text: string) => `Answering: ${text}`,
  doNotAnswer: 'Do not answer this message',
  from: 'From',
  reply: { label: 'Reply', placeholder: 'Reply…', closed: 'The window is closed. Choose a template.' },
  note: {
    label: 'Note',
    placeholder: 'Only the team sees this. @name tells a member.',
    saves: 'saves',
    button: 'Add note',
  },
  files: { label: 'Files to send', attach: 'Attach files', how: 'Attach files, drop them here, or paste them' },
  file: {
    kind: 'Kind',
    kinds: { image: 'Picture', document: 'Document', video: 'Video', audio: 'Sound' },
    link: 'Public address of the file',
    caption: 'Caption',
  },
  template: {
    label: 'Template',
    choose: 'Choose a template…',
    button: 'Choose',
    preview: 'Preview',
    none:
      'There is no approved template. Templates are made in the platform’s own manager and appear here once they are ' +
      'approved.',
    header: (name: string) => `Header {{${name}}}`,
    media: (kind: string) => `Address of the ${kind}`,
    buttonUrl: (number: number) => `End of the address of button ${number}`,
    buttonCode: (number: number) => `Code of button ${number}`,
  },
  answered: {
    ask: 'Send anyway?',
    anyway: 'Send anyway',
    answered: (author: string, when: string, text: string) => `${author} answered ${when}: “${text}”`,
    justNow: 'just now',
    ago: (time: string) => `${time} ago`,
  },
};
