import { toldTexts } from '../words';

type Told = keyof typeof toldTexts.actions;

/**
 * What is told whenever it happens: signs of a theft to the member, new ways out of the workspace to its owners, too.
 */
const told = {
  'signIn.newPlace': 'member',
  'signIn.codesGuessed': 'member',
  'signIn.passwordVoid': 'owners',
  'password.change': 'member',
  'password.chosenByLink': 'member',
  'factors.addTotp': 'member',
  'factors.addPasskey': 'member',
  'factors.remove': 'member',
  'factors.renewCodes': 'member',
  'apiKeys.create': 'owners',
  'connectedAgents.connect': 'owners',
  'connectedAgents.newNetwork': 'owners',
  'oauthClients.create': 'owners',
  'webhooks.create': 'owners',
  'webhooks.opened': 'owners',
  'webhooks.rotateSecret': 'owners',
  'rules.opened': 'owners',
  'contacts.export': 'owners',
  'reports.export': 'owners',
  'conversations.export': 'owners',
  'auditLog.export': 'owners',
  'teamMembers.create': 'owners',
  'rescue.end': 'owners',
  'sso.update': 'owners',
} as const satisfies Record<Told, 'member' | 'owners'>;

const isTold = (action: string): action is Told => Object.hasOwn(told, action);

/** Returns who is told of an action at once; null: nobody. */
export function audienceOf(action: string): 'member' | 'owners' | null {
  return isTold(action) ? told[action] : null;
}

/** Returns what is told of an action. */
export function toldWords(action: string): string {
  return isTold(action) ? toldTexts.actions[action] : toldTexts.something;
}

/** Where a member ends what is in wrong hands. */
export const rescuePath = '/dashboard/rescue/';
