import { autonomyLevels } from '../../../core/http/access';
import { isoTime, wire } from '../../../core/http/shapes';
import type { ApiKeyRecord } from './service';

const properties = {
  id: wire.integer(),
  name: wire.text(),
  prefix: wire.text('How the key begins; all that is shown of it after its creation.'),
  member_id: wire.integer('The member whose permissions bound the key.'),
  scopes: wire.list(wire.text()),
  autonomy: wire.oneOf(autonomyLevels),
  created_at: wire.datetime(),
  last_used_at: wire.nullable(wire.datetime()),
  expires_at: wire.nullable(wire.datetime()),
  revoked_at: wire.nullable(wire.datetime()),
  allowed_addresses: {
    ...wire.list(wire.text()),
    description: 'Addresses and networks that may use the key; empty: all.',
  },
  notes: wire.boolean('Whether the key reads notes.'),
};

/** An API key as lists show it. */
export const apiKeyShape = wire.named('ApiKey', properties);

/** An API key at its creation, the only time that its text is shown. */
export const createdKeyShape = wire.named('CreatedApiKey', {
  ...properties,
  api_key: wire.text('The key itself, shown this once.'),
  ignored_scopes: wire.list(wire.text('A permission that has no effect on a key.')),
});

/** Returns the wire form of a key, without its secret. */
export function apiKeyView(row: ApiKeyRecord): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    member_id: row.member_id,
    scopes: row.scopes,
    autonomy: row.autonomy,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    expires_at: isoTime(row.expires_at),
    revoked_at: isoTime(row.revoked_at),
    allowed_addresses: row.allowed_addresses,
    notes: row.notes,
  };
}
