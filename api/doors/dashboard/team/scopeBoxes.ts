import { isScope, type Scope } from '../../../core/http/access';
import type { Option } from '../fieldViews';
import { words } from '../words';

const { subjects: groups, usual } = words.members;
const { scopes: said } = words;

/** What permissions are about, in the order of the boxes: by the word that their names begin with. */
const subjects: readonly (readonly [group: keyof typeof groups, names: readonly string[]])[] = [
  ['conversations', ['chat']],
  ['contacts', ['contact']],
  ['tickets', ['ticket']],
  ['macros', ['macro', 'broadcast']],
  ['reading', ['template', 'catalogue', 'flow', 'inbox', 'team']],
  ['running', ['report', 'webhook', 'workspace', 'billing']],
];

/** Returns what permissions allow, in words. */
export const scopeWords = (...scopes: readonly string[]): string =>
  scopes.map((scope) => (isScope(scope) ? said[scope].replace(/\.$/, '') : scope)).join(' · ');

/** Returns boxes for permissions, by their subjects: in words, with their names behind. */
export function scopeBoxes(scopes: readonly Scope[]): Option[] {
  return subjects.flatMap(([group, names]) =>
    scopes
      .filter((name) => names.includes(name.split('.')[0] ?? ''))
      .map((name) => ({ value: name, label: scopeWords(name), detail: name, group: groups[group] })),
  );
}

const readers: readonly Scope[] = [
  'chat.view',
  'contact.view',
  'ticket.view',
  'macro.view',
  'template.view',
  'catalogue.view',
  'flow.view',
  'inbox.view',
  'team.view',
];
const agents: readonly Scope[] = [...readers, 'chat.send_message', 'chat.assign', 'contact.edit', 'ticket.manage'];
const leads: readonly Scope[] = [...agents, 'macro.manage', 'broadcast.manage', 'report.view'];

/** What is usual for members of a kind: a choice ticks these boxes. */
export const usualScopes = (): readonly Option[] => [
  { value: readers.join(' '), label: usual.reader },
  { value: agents.join(' '), label: usual.agent },
  { value: leads.join(' '), label: usual.lead },
];
