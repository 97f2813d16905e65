/** The pages by which a member connects an application. */
export const consent = {
  title: (client: string) => `Connect ${client}`,
  heading: (client: string) => `Connect ${client}?`,
  asks: 'It asks to act for you in {workspace}.',
  signedIn: 'Signed in as',
  notYou: 'Not you?',
  describes: 'It describes itself at',
  back: 'You will be sent back to',
  ownDevice: {
    lead: 'This program runs on your own device.',
    text: 'Continue only if you have just started it to connect it.',
  },
  nothing:
    'You have none of the permissions that it asks for, so you cannot connect it. Ask an administrator of your ' +
    'workspace.',
  may: 'What it may do',
  lacks: ' · you do not have this permission yourself',
  approved:
    'Every message it writes must be approved by your team, unless an administrator allows it to send on its own.',
  never:
    'It can never do more than you may do yourself. You can disconnect it at any time in the dashboard under ' +
    'Settings → Agents.',
  cancel: 'Cancel',
  allow: 'Allow',
  problem: {
    title: 'The connection was not made',
    other: 'Use another account',
    close: 'You can close this window and go back to the application.',
  },
};
