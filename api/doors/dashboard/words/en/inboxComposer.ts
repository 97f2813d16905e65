/** The box below a thread. */
export const composer = {
  what: 'What to send',
  means: 'With what',
  modes: { text: 'Reply', note: 'Note', template: 'Template', choices: 'Buttons and lists' },
  send: { text: 'Send', note: 'Send', template: 'Send template', choices: 'Send' },
  hint: 'Send (Ctrl+Enter)',
  sendAndDone: { label: 'Send and done', keys: 'Ctrl Shift Enter' },
  canned: 'Canned replies',
  expired: 'The trial has expired: nothing can be sent until a plan is chosen.',
  readOnly: 'You may read this conversation. To answer, you need the permission chat.send_message.',
  answering: (text: string) => `Answering: ${text}`,
  doNotAnswer: 'Do not answer this message',
  from: 'From',
  reply: { label: 'Reply', placeholder: 'Reply…', closed: 'The window is closed. Choose a template.' },
  note: {
    label: 'Note',
    placeholder: 'Only the team sees this. @name tells a member.',
    hint: 'Add the note (Ctrl+Enter)',
    button: 'Add note',
  },
  files: {
    label: 'Files to send',
    attach: 'Attach files',
    how: 'Attach files, drop them here, or paste them',
    drop: 'Drop files to attach them',
    /** Without scripts: one at a time. */
    one: (megabytes: number) => `A file to send, up to ${megabytes} MB`,
  },
  choices: {
    body: 'Question',
    lines: 'Answers that the customer taps, one a line',
    hint: (buttons: number) =>
      `Up to ${buttons} are buttons of up to 20 characters; more of them, up to 10, a list. In a list, what stands ` +
      'behind | explains an answer.',
    button: 'What opens the list',
    open: 'Choose',
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
