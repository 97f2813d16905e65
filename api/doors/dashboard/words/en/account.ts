/** A member's own account: writing, sessions, second factors, password. */
export const account = {
  title: 'Your account',
  saved: 'Saved.',
  writing: {
    title: 'Language and writing',
    language: 'Language',
    browser: 'As the browser asks',
    undo: 'Wait five seconds before a text is sent, so that I can take it back',
    next: 'Go on to the next conversation when I am done with one',
    takes: 'Assign a conversation that is nobody’s to me when I answer it',
  },
  sessions: {
    title: 'Sessions',
    endOthers: 'End all others',
    othersEnded: 'All other sessions have ended.',
    unknown: 'Unknown browser',
    since: 'since {since} · last used {used}',
    current: 'this one',
    end: 'End',
    endSince: (since: string) => ` the session since ${since}`,
    ended: 'The session has ended.',
  },
  factors: {
    title: 'Second factor',
    about: 'What you show at sign-in beside the password.',
    demanded: 'Your workspace demands one.',
    left: (count: number) => `${count} left · `,
    since: 'since',
    used: '· last used',
    remove: 'Remove',
    ask: { title: 'Remove this factor?', text: 'It opens nothing any more.', button: 'Remove' },
    removed: 'The factor is removed.',
    addAuthenticator: 'Add an authenticator app',
    addPasskey: 'Add a passkey',
    newCodes: 'New recovery codes',
  },
  authenticator: {
    title: 'Authenticator app',
    about: 'Scan this with an app on your phone. From then on each sign-in asks for the code that it shows.',
    type: 'Or type this into the app: {secret}',
    fields: { code: 'The code that the app shows', name: 'Name' },
    add: 'Add',
    added: 'The authenticator app is added.',
  },
  passkey: {
    title: 'Passkey',
    about: 'Your device, or a key that you plug in, shows that it is you. No page that looks like this one can use it.',
    impossible:
      'Browsers make passkeys only for an address with a name over https. Ask who runs this installation, or use an ' +
      'authenticator app.',
    name: 'Name',
    make: 'Make a passkey',
    added: 'The passkey is added.',
  },
  codes: {
    title: 'Your recovery codes',
    head: 'Recovery codes',
    about:
      'Each works once in place of another factor. Keep them where you find them without your phone: they are shown ' +
      'this once.',
    kept: 'I have kept them',
  },
  events: {
    title: 'What happened with it',
    rescue: 'Was this not you?',
    none: 'Nothing in the last 30 days.',
    by: (name: string) => ` · by ${name}`,
    operator: 'the operator',
  },
  password: {
    title: 'Password',
    about:
      'A new password signs you out everywhere, here too. At the next sign-in you see what else goes on for you, and ' +
      'end it.',
    differ: 'The two new passwords differ.',
    fields: {
      current_password: 'Current password',
      new_password: 'New password',
      again: 'New password again',
      revoke_api_keys: 'Revoke my API keys, too',
      stop_webhooks: 'Stop the webhooks that revoked keys made',
      stop_broadcasts: 'Unschedule the broadcasts that revoked keys made',
      disconnect_agents: 'Disconnect the agents that I connected, too',
    },
    change: 'Change the password',
  },
};
