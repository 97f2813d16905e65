import type { NoticeKind } from '../../../../models/enums';
import type { RuleAttention } from '../../../../models/ruleParts';

/** What members are told outside of pages, in English. */
export const en = {
  /** What happened that concerns safety, by the action in the log. */
  actions: {
    'signIn.newPlace': 'A sign-in from a new network and browser',
    'signIn.codesGuessed': 'Five wrong codes behind the right password',
    'signIn.passwordVoid': 'Fifty wrong codes in a day: the password opens nothing any more',
    'password.change': 'The password was changed',
    'password.chosenByLink': 'A password was chosen by a link',
    'factors.addTotp': 'An authenticator app was added',
    'factors.addPasskey': 'A passkey was added',
    'factors.remove': 'A second factor was removed',
    'factors.renewCodes': 'New recovery codes were made',
    'apiKeys.create': 'An API key was made',
    'connectedAgents.connect': 'An agent was connected',
    'connectedAgents.newNetwork': 'An agent called from a new network',
    'oauthClients.create': 'An application was registered',
    'webhooks.create': 'A webhook was made',
    'webhooks.opened': 'A webhook was moved, activated or given more',
    'webhooks.rotateSecret': 'The secret of a webhook was made anew',
    'rules.opened': 'A rule that sends was switched on',
    'contacts.export': 'Contacts were exported',
    'reports.export': 'Conversations were exported',
    'conversations.export': 'A conversation was exported',
    'auditLog.export': 'The audit log was exported',
    'teamMembers.create': 'A member was added',
    'rescue.end': 'A member ended what was in wrong hands',
    'sso.update': 'Single sign-on was changed',
  },
  something: 'Something happened that concerns safety',
  titles: {
    rule: 'A rule asks for you',
    security: 'Was this you?',
    assigned: 'Assigned to you',
    message: 'New message',
    unassigned: 'New message that nobody has',
    mention: 'You are mentioned',
    held: 'A message was not sent',
  } satisfies Record<NoticeKind | 'security' | 'rule', string>,
  attention: {
    owner_gone: 'the member in whose name it acts has left',
    missing_scope: 'the member in whose name it acts may not do this any more',
    reference_gone: 'something that it names is gone',
    unusual_volume: 'it would act on more than 500 conversations in an hour',
    failing: 'it failed five times in a row',
    late: 'what it would have sent was too late',
  } satisfies Record<RuleAttention['reason'], string>,
  look: 'it asks to be looked at',
  and: (what: string, others: number) => `${what}, and ${others} more`,
  from: (what: string, address: string) => `${what}, from ${address}`,
  mails: {
    factorsLost: {
      subject: 'Your second factors for Msgdesk were removed',
      text: 'An owner of your workspace, or the operator, removed your second factors.',
    },
    factorAdded: {
      subject: 'A second factor for Msgdesk was set up',
      text: 'From now on each of your sign-ins asks for it. Your recovery codes were shown to who set it up.',
    },
    notAsked: (text: string, url: string) =>
      `${text} At ${url}. If you did not ask for it, tell an owner of your workspace.`,
    bell: {
      subject: 'Was this you? New in your Msgdesk account',
      happened: (url: string) => `This happened in Msgdesk at ${url}:`,
      end: (address: string) => `If this was not you, or not your team: ${address} ends it with one click.`,
    },
    link: {
      subject: 'Choose your password for Msgdesk',
      hello: (name: string) => `Hello ${name},`,
      choose: (url: string) => `with this link you choose a password for Msgdesk at ${url}:`,
      once: 'It works once, within an hour of being asked for. If you did not expect it, tell an owner of your workspace.',
    },
  },
};
