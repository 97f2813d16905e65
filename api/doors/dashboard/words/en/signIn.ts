/** The pages of who is not signed in: sign-in, its second step, links for passwords. */
export const signIn = {
  error: (title: string) => `Error: ${title}`,
  tooLong: 'This form was open for too long. Please try again.',
  goOn: 'Go on',
  password: {
    title: 'Sign in',
    named: 'sign in',
    reason: 'Use the email and password of your workspace membership.',
    application: 'An application wants to connect to your workspace. Sign in to decide.',
    email: 'Email',
    password: 'Password',
    company: 'Sign in with your company',
    forgot: 'Forgot your password?',
    tooMany: (minutes: number) => `Too many attempts. Try again in ${minutes} minutes.`,
    wrong: 'The email or the password is wrong.',
  },
  factor: {
    title: 'Second step',
    named: 'second step',
    more: 'One more step',
    show: 'Show now that it is you.',
    setUp: 'Set up a second factor',
    scan: 'Your workspace asks for one at each sign-in. Scan this with an authenticator app on your phone.',
    type: 'Or type this into the app: {secret}',
    code: 'Code of your authenticator app, or a recovery code',
    appCode: 'The code that the app shows',
    passkey: 'Use a passkey',
  },
  codes: {
    title: 'Your recovery codes',
    head: 'Recovery codes',
    about:
      'Each works once in place of the app. Keep them where you find them without your phone: they are shown this ' +
      'once.',
    kept: 'I have kept them',
  },
  company: {
    title: 'Sign in with your company',
    named: 'sign in with your company',
    about: 'Where your company runs its own sign-in, your email leads there.',
    email: 'Email',
    password: 'Sign in with a password',
    unknown: 'No company with a sign-in of its own has this email.',
    over: 'This sign-in is over, or began in another browser. Begin again.',
  },
  link: {
    gone: {
      title: 'This link no longer works',
      text: 'It was used, is older than an hour, or a newer one took its place. Ask for another.',
    },
    title: 'Choose your password',
    for: (email: string, rule: string) => `For ${email}. ${rule}`,
    password: 'New password',
    again: 'New password again',
    differ: 'The two passwords differ.',
    save: 'Save',
    saved: {
      title: 'Your password is saved',
      text: 'You are signed out everywhere. Sign in with it now.',
    },
  },
  forgot: {
    title: 'Forgot your password?',
    about: 'We mail you a link by which you choose a new one.',
    email: 'Email',
    mail: 'Mail me a link',
    mailed: {
      title: 'Look into your mail',
      text: 'If a member has this email, a link is on its way. It works for an hour.',
    },
  },
  /** Asked again of who is signed in, before they do what matters. */
  verify: {
    title: 'Is it you?',
    about: 'You are about to do what matters. Show once more that it is you; then nothing asks for ten minutes.',
    password: 'Password',
    company: 'Confirm with your company',
  },
};
