/* Every write of the API with bodies that it takes, and the places in them where something else can be put. */
import type { Operation } from '../../api/core/http/operations';
import { operations } from '../../api/operations';
import { deepBodies } from '../factories/deepBodies';
import { ownerSession } from '../factories/macros';
import { unique, uniquePhone } from '../factories/unique';
import { writeSamples } from '../factories/writeSamples';
import type { TestApi } from './api';
import type { ApiClient } from './client';

type Json = Record<string, unknown>;
export type Place = readonly (string | number)[];

// Deriving keys of passwords takes too long for this many writes: test/api/{session,settings}.test.ts have them. What
// takes a code or passkey once: test/api/factors.test.ts. What ends the credentials of whoever asks, and so of all that
// come after it: test/dashboard/stolenSession.test.ts.
export const triedElsewhere: readonly string[] = [
  'password.change',
  'teamMembers.create',
  'sessions.confirm',
  'factors.addTotp',
  'factors.addPasskey',
  'rescue.end',
];
/** All writes with a body, but those. */
export const writes = operations.filter(
  ({ id, body, uploads }) => body !== undefined && !uploads && !triedElsewhere.includes(id),
);

/** Every place of a value, at every depth. */
export function places(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return at.length === 0 ? [] : [at];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    places(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? inner : [at, ...inner];
}

/** The value with another one at the place. */
export function put(value: unknown, [key, ...rest]: Place, given: unknown): unknown {
  if (key === undefined) return given;
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === key ? put(item, rest, given) : item));
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, item]) => [name, name === key ? put(item, rest, given) : item]),
  );
}

export interface WriteTarget {
  readonly operation: Operation;
  readonly path: string;
  readonly client: ApiClient;
  readonly bodies: readonly Json[];
}

/** Returns where a write is sent, and bodies that it takes. */
export async function targetOf(desk: TestApi, handle: string, operation: Operation): Promise<WriteTarget> {
  const make = writeSamples[operation.id];
  if (!make) throw new Error(`writeSamples has nothing for ${operation.id}`);
  const sample = await make(desk.workspace, `h${unique()}`, uniquePhone());
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(sample.params?.[name]));
  const client = operation.audience === 'session' ? (await ownerSession(desk.workspace)).api : desk.api;
  return {
    operation,
    path,
    client,
    bodies: [sample.body, ...(deepBodies[operation.id]?.(desk.workspace, handle) ?? [])],
  };
}
