/** Who is told of an entry of the log at once, and in which words. */
interface Told {
  readonly to: 'member' | 'owners';
  readonly words: string;
}

const member = (words: string): Told => ({ to: 'member', words });
const owners = (words: string): Told => ({ to: 'owners', words });

/**
 * What is told whenever it happens: signs of a theft to the member, new ways out of the workspace to its owners, too.
 */
const told: Readonly<Record<string, Told>> = {
  'signIn.newPlace': member('A sign-in from a new network and browser'),
  'signIn.codesGuessed': member('Five wrong codes behind the right password'),
  'signIn.passwordVoid': owners('Fifty wrong codes in a day: the password opens nothing any more'),
  'password.change': member('The password was changed'),
  'password.chosenByLink': member('A password was chosen by a link'),
  'factors.addTotp': member('An authenticator app was added'),
  'factors.addPasskey': member('A passkey was added'),
  'factors.remove': member('A second factor was removed'),
  'factors.renewCodes': member('New recovery codes were made'),
  'apiKeys.create': owners('An API key was made'),
  'connectedAgents.connect': owners('An agent was connected'),
  'connectedAgents.newNetwork': owners('An agent called from a new network'),
  'oauthClients.create': owners('An application was registered'),
  'webhooks.create': owners('A webhook was made'),
  'webhooks.opened': owners('A webhook was moved, activated or given more'),
  'webhooks.rotateSecret': owners('The secret of a webhook was made anew'),
  'rules.opened': owners('A rule that sends was switched on'),
  'contacts.export': owners('Contacts were exported'),
  'reports.export': owners('Conversations were exported'),
  'conversations.export': owners('A conversation was exported'),
  'auditLog.export': owners('The audit log was exported'),
  'teamMembers.create': owners('A member was added'),
  'rescue.end': owners('A member ended what was in wrong hands'),
  'sso.update': owners('Single sign-on was changed'),
};

/** Returns who is told of an action at once; null: nobody. */
export function audienceOf(action: string): Told['to'] | null {
  return told[action]?.to ?? null;
}

/** Returns what is told of an action. */
export function toldWords(action: string): string {
  return told[action]?.words ?? 'Something happened that concerns safety';
}

/** Where a member ends what is in wrong hands. */
export const rescuePath = '/dashboard/rescue/';
