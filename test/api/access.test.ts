import { isScope, keyScopes, memberScopes, type Scope } from '../../api/core/http/access';
import type { Operation } from '../../api/core/http/operations';
import { describeObject } from '../../api/core/http/fields';
import type { JsonSchema } from '../../api/core/http/shapes';
import { operations } from '../../api/operations';
import { objectsInFields, objectsInPaths } from '../factories/foreign';
import { ownerSession } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createWorkspace, type TestKey, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer, ApiClient } from '../support/client';
import { targetOf, writes } from '../support/writes';

let desk: TestApi;
let other: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  other = await createWorkspace(desk);
});
afterAll(() => desk.close());

const rows = operations.map((operation) => [operation.id, operation] as const);
const byKey = rows.filter(([, operation]) => operation.audience !== 'session');
const call = (
  api: ApiClient,
  operation: Operation,
  value: string | number = 1,
  body: unknown = {},
): Promise<ApiAnswer> =>
  api.request(
    operation.method,
    operation.path.replace(/\{\w+\}/g, String(value)),
    operation.method === 'GET' || operation.method === 'DELETE' ? undefined : body,
  );
const missing = (scope: string): string =>
  `You do not have permission to perform this action. Missing scope: ${scope}.`;

it.each(rows)('%s needs a credential', async (_id, operation) => {
  expect((await call(desk.anonymous, operation)).status).toBe(401);
});

describe('scope × route', () => {
  const only = new Map<Scope, TestKey>();
  const without = new Map<Scope, TestKey>();
  let all: TestKey;
  beforeAll(async () => {
    all = await desk.workspace.key(keyScopes);
    for (const scope of keyScopes) {
      only.set(scope, await desk.workspace.key([scope]));
      without.set(scope, await desk.workspace.key(keyScopes.filter((candidate) => candidate !== scope)));
    }
  });

  it.each(byKey)('%s opens to its own scope and to no other', async (_id, operation) => {
    const scope = operation.keyScope ?? operation.scope;
    if (scope === null) return;
    expect(isScope(scope)).toBe(true);
    if (keyScopes.includes(scope)) {
      const allowed = await call(only.get(scope)?.api ?? desk.anonymous, operation);
      expect(allowed.status).not.toBe(401);
      expect(allowed.body?.['error']).not.toBe(missing(scope));
    }
    // A key with all other scopes is refused, so none of them alone is enough.
    expect(await call((without.get(scope) ?? all).api, operation)).toMatchObject({
      status: 403,
      body: { error: missing(scope) },
    });
  });

  it.each(rows.filter(([, { audience, scope }]) => audience === 'session' && scope !== null))(
    '%s opens to no member who has all other permissions',
    async (_id, operation) => {
      const permissions = memberScopes('owner', []).filter((scope) => scope !== operation.scope);
      const session = await createSession(await createMember(desk.workspace, { role: 'agent', permissions }));
      expect(await call(session.api, operation)).toMatchObject({
        status: 403,
        body: { error: missing(operation.scope ?? '') },
      });
    },
  );

  it('a member without permissions may do nothing by session either', async () => {
    const session = await createSession(await createMember(desk.workspace, { role: 'agent', permissions: [] }));
    for (const operation of operations) {
      if (operation.scope !== null)
        expect(await call(session.api, operation)).toMatchObject({
          status: 403,
          body: { error: missing(operation.scope) },
        });
    }
  });

  it('routes for sessions refuse every key', async () => {
    for (const operation of operations)
      if (operation.audience === 'session') expect((await call(desk.api, operation)).status).toBe(403);
  });
});

describe('isolation: another workspace is not there (C3)', () => {
  const withPath = rows.filter(([, operation]) => operation.path.includes('{'));

  it.each(withPath)('%s: an id in the path is a 404', async (_id, operation) => {
    const prefix = operation.path.slice(0, operation.path.indexOf('}') + 1);
    const make = objectsInPaths[prefix];
    if (!make) throw new Error(`test/factories/foreign.ts names no object for ${prefix}`);
    const foreign = await make(other);
    expect(foreign).toBeTruthy();
    const api = operation.audience === 'session' ? (await ownerSession(desk.workspace)).api : desk.api;
    const answer = await call(api, operation, foreign);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Not found.' }]);
  });

  /** What has to stand beside a field, where not all of it is required. */
  const beside = (operation: string, field: string): Record<string, unknown> => {
    if (operation === 'messages.create') return { body: 'Hi' };
    return field === 'calendar_id' ? { resolution_minutes: 5 } : {};
  };
  // An integer without bounds is an id; texts are ids where they have the name of one.
  const isId = (json: JsonSchema | undefined, field: string): boolean =>
    field in objectsInFields || ([json?.['type']].flat().includes('integer') && json?.['maximum'] === undefined);
  const named = writes.flatMap((operation) => {
    const { properties = {}, required = [] } = (operation.body ? describeObject(operation.body) : {}) as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return Object.entries(properties).flatMap(([field, json]) => {
      const isList = json['type'] === 'array';
      // Refused as part of what a message says: test/api/messages.test.ts.
      const isContent = ['messages.create', 'messages.update'].includes(operation.id) && field === 'template_id';
      // What is not the member's own is passed over: test/api/concerns.test.ts.
      const isPassedOver = operation.id === 'concerns.read';
      return !isContent && !isPassedOver && isId(isList ? (json['items'] as JsonSchema) : json, field)
        ? [[operation.id, field, { operation, isList, required }] as const]
        : [];
    });
  });

  it.each(named)('%s: an id in %s is a 400', async (_id, field, { operation, isList, required }) => {
    const id = await objectsInFields[field]?.(other);
    if (id === undefined) throw new Error(`test/factories/foreign.ts names no object for ${field}`);
    const { client, path, bodies } = await targetOf(desk, '', operation);
    const body = Object.fromEntries(Object.entries(bodies[0] ?? {}).filter(([name]) => required.includes(name)));
    const answer = await client.request(operation.method, path, {
      ...body,
      ...beside(operation.id, field),
      [field]: isList ? [id] : id,
    });
    const says = new RegExp(`^(Invalid pk "${id}" - object does not exist|There is no uploaded file "${id}")[.]$`);
    expect([answer.status, answer.body]).toEqual([400, { [field]: [expect.stringMatching(says)] }]);
  });
});
