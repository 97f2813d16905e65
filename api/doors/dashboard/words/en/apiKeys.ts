import type { Autonomy } from '../../../../core/http/access';
import { plural } from '../plural';

const networks = { one: 'network', other: 'networks' };

/** API keys, and what their autonomy means. */
export const apiKeys = {
  title: 'API keys',
  new: 'New key',
  newTitle: 'New API key',
  about: 'The key is yours: it can do at most what you can, and loses what you lose.',
  empty: {
    title: 'No keys yet',
    text: 'A key lets a program use the API, or an agent use {mcp}, with the permissions that you choose. {reference}',
    reference: 'The API reference',
  },
  columns: {
    name: 'Name',
    permissions: 'Permissions',
    autonomy: 'Autonomy',
    used: 'Last used',
    expires: 'Expires',
  },
  member: (id: number) => `Member ${id}`,
  permissions: (count: number) => `${count} of them`,
  notes: 'reads notes',
  never: 'never',
  revoked: 'revoked',
  expired: 'expired',
  onlyFrom: (count: number) => `Only from ${plural(count, networks)}`,
  fields: {
    name: { label: 'Name', hint: 'What it is for, for example “Shop system”.' },
    scopes: { label: 'Permissions', hint: 'Choose as few as it needs.' },
    autonomy: {
      label: 'Autonomy',
      hint: 'Below autonomous, sends are refused by the API and wait for approval on /mcp.',
    },
    expires_at: { label: 'Expires' },
    allowed_addresses: {
      label: 'Only from these addresses',
      hint: 'One address or network per line, for example 203.0.113.0/24 or 2001:db8::/32. Empty: from everywhere.',
    },
    notes: { label: 'Reads the team’s notes', hint: 'Off, it can write notes with chat.assign, and reads none.' },
  },
  zone: (zone: string) => `In the time zone of the workspace, ${zone}.`,
  noMoment: 'Enter a date and a time.',
  levels: {
    autonomous: 'Autonomous: sends by itself',
    approval: 'Approval: each send asks the members',
    draft: 'Draft: sends wait for a look',
  } satisfies Record<Autonomy, string>,
  create: 'Create the key',
  made: {
    title: 'Your new key',
    copy: 'Copy it now: it is shown this once.',
    label: 'API key',
    copied: 'I have copied it',
  },
  revoke: {
    button: 'Revoke',
    title: 'Revoke a key',
    named: (name: string) => `Revoke “${name}”?`,
    text: 'Every program that uses it is refused from its next request on. This cannot be undone.',
    done: 'The key is revoked.',
  },
};
