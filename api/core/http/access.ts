import { missingScope } from './errors';

/** Scopes that a credential may carry, with what they grant (contract 12.1, 12). */
export const scopeDescriptions = {
  'team.view': 'View team members.',
  'chat.view': 'View conversations.',
  'chat.send_message': 'Send messages.',
  'chat.assign': 'Update conversation status, priority and tags; reassign to a teammate or inbox.',
  'contact.view': 'View contacts.',
  'contact.edit': 'Create and update contacts.',
  'contact.delete': 'Delete contacts.',
  'template.view': 'View templates.',
  'catalogue.view': 'View catalogue products.',
  'inbox.view': 'View team inboxes.',
  'ticket.view': 'View tickets, pipelines, stages, comments and activity.',
  'ticket.manage': 'Create, update and delete tickets; comment; escalate; manage pipelines and stages.',
  'flow.view': 'View Flows, submissions and metrics.',
  'macro.view': 'List and run macros.',
  'macro.manage': 'Create, edit and delete macros (dashboard only).',
  'broadcast.manage': 'Create, confirm, schedule and watch broadcasts.',
  'webhook.manage': 'Manage outgoing webhooks.',
  'report.view': 'See the reports (dashboard only).',
  'workspace.manage': 'Manage the workspace, its members, keys and agents (dashboard only).',
  billing: 'Choose the plan (dashboard only).',
} as const;

export type Scope = keyof typeof scopeDescriptions;

/** Every permission a member can hold. */
export const allScopes = Object.keys(scopeDescriptions) as Scope[];

/** Permissions that have no effect on a key (contract 12.1). */
const dashboardOnly: readonly Scope[] = ['macro.manage', 'report.view', 'workspace.manage', 'billing'];

/** Scopes that an API key may carry. */
export const keyScopes = allScopes.filter((scope) => !dashboardOnly.includes(scope));

/** Returns whether the text is the name of a permission. */
export function isScope(value: string): value is Scope {
  return Object.hasOwn(scopeDescriptions, value);
}

/**
 * Returns what a member may do: everything for owners, for admins everything but `billing` unless it was given to them,
 * for agents the chosen permissions (contract 12.2).
 */
export function memberScopes(role: string, permissions: readonly string[]): Scope[] {
  if (role === 'owner') return allScopes;
  return allScopes.filter((scope) => permissions.includes(scope) || (role === 'admin' && scope !== 'billing'));
}

/** Throws the 403 that names the scope unless the context carries it. */
export function requireScope(ctx: { readonly scopes: ReadonlySet<Scope> }, scope: Scope): void {
  if (!ctx.scopes.has(scope)) throw missingScope(scope);
}

/** The seven scopes that a member may grant to an agent (contract 11.4). */
export const consentableScopes: readonly Scope[] = [
  'chat.view',
  'chat.send_message',
  'chat.assign',
  'contact.view',
  'contact.edit',
  'template.view',
  'macro.view',
];

/** What happens to the sends of a credential: they are kept as drafts, wait for approval, or go out. */
export const autonomyLevels = ['draft', 'approval', 'autonomous'] as const;
export type Autonomy = (typeof autonomyLevels)[number];
