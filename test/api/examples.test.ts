/*
 * The documentation's own requests, sent unchanged to a workspace as `npm start` makes it.
 * UPDATE_ANSWERS=1 writes those answers whose form has changed to docs/api-answers.json, from where the reference shows
 * them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually';
import { startInstallation, type Installation } from '../support/installation';
import { root } from '../support/settings';

type Json = Record<string, unknown>;
interface Shown {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Documented {
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly parameters: readonly {
    name: string;
    in: string;
    required: boolean;
    example?: string | number;
    schema: { readonly examples?: readonly string[] };
  }[];
  readonly requestBody?: { readonly content: Record<string, Shown> };
}
interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isSessionOnly: boolean;
  readonly body: unknown;
}

const file = path.join(root, 'docs', 'api-answers.json');
/** What would take from others what they need, in an order that works. */
const last = [
  'messages.delete',
  'webhooks.redeliver',
  'webhooks.delete',
  'broadcasts.delete',
  'ticketStages.delete',
  'ticketPipelines.delete',
  'tickets.delete',
  'rules.delete',
  'macros.delete',
  'cannedReplies.delete',
  'views.delete',
  'pushSubscriptions.delete',
  'slaPolicies.delete',
  'calendars.delete',
  'teamInboxes.delete',
  'customFields.delete',
  'contacts.merge',
  'contacts.delete',
  'connectedAgents.disconnect',
  'oauthClients.disable',
  'apiKeys.revoke',
  'sessions.end',
  'rescue.end',
  'sessions.endAll',
];
/** Their examples would have to know the password of the demo, a second factor, or what was done a moment ago. */
const unknowable = [
  'password.change',
  'sessions.confirm',
  'factors.addTotp',
  'factors.startPasskey',
  'factors.addPasskey',
  'factors.renewCodes',
  'factors.remove',
  'bulkChanges.undo',
  'bulkChanges.undoContacts',
  'rules.moveRun',
  'rules.endRun',
];

let desk: Installation;
let session: string;
let calls: Call[];
const answers: Record<string, unknown> = {};

beforeAll(async () => {
  desk = await startInstallation({ RATE_LIMIT_PER_MINUTE: '10000', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '10000' });
  const { base_url: base, dashboard_email: email, dashboard_password: password } = desk.facts;
  const signedIn = await fetch(`${base}/dashboard/session/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  session = /token=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const document = (await (await fetch(`${base}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Documented>>;
  };
  calls = Object.entries(document.paths)
    .filter(([route]) => route.startsWith('/api/v1/'))
    .flatMap(([route, methods]) =>
      Object.entries(methods).flatMap(([method, documented]) => toCalls(route, method, documented)),
    );
}, 320_000);
// It ends in order.
afterAll(async () => expect(await desk?.close()).toBe(0));

function toCalls(route: string, method: string, documented: Documented): Call[] {
  const inPath = new Map(documented.parameters.map((parameter) => [parameter.name, parameter.example]));
  const query = documented.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${schema.examples?.[0] ?? ''}`);
  const { example, examples } = documented.requestBody?.content['application/json'] ?? {};
  const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
  return bodies.map((body) => ({
    id: documented.operationId,
    method: method.toUpperCase(),
    path:
      route.replace(/\{(\w+)\}/g, (_all, name: string) => String(inPath.get(name))) +
      (query.length > 0 ? `?${query.join('&')}` : ''),
    isSessionOnly: documented.security.every((scheme) => 'session' in scheme),
    body,
  }));
}

async function send(call: Call): Promise<{ status: number; body: unknown }> {
  const form = new FormData();
  form.set('file', new Blob(['Dear all']), 'letter.txt');
  const json = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
  const answer = await fetch(desk.facts.base_url + call.path, {
    method: call.method,
    headers: {
      authorization: call.isSessionOnly ? `Token ${session}` : `Bearer ${desk.facts.api_key}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.id === 'media.create' ? { body: form } : json),
  });
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  const text = await answer.text();
  return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : undefined };
}

test('every documented request works unchanged in a fresh demo workspace', async () => {
  const ids = calls.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([...last, ...unknowable]));
  const order = [
    ...calls.filter(({ id }) => !last.includes(id) && !unknowable.includes(id)),
    ...last.flatMap((wanted) => calls.filter(({ id }) => id === wanted)),
  ];
  const refused: unknown[] = [];
  for (const call of order) {
    if (call.id === 'webhooks.redeliver') await untilDelivered();
    const { status, body } = await send(call);
    if (status >= 300) refused.push([call.id, status, body]);
    else if (body !== undefined) answers[call.id] ??= shortened(body);
  }
  expect(refused).toEqual([]);
});

/** A delivery can be sent again once it is not on its way any more. */
async function untilDelivered(): Promise<void> {
  const list = calls.find(({ id }) => id === 'webhooks.deliveries');
  await eventually(async () => {
    const { body } = await send(list as Call);
    expect((body as { results: { status: string }[] }).results.map(({ status }) => status)).not.toContain('pending');
  });
}

test('the answers that the reference shows are still like the real ones', () => {
  if (process.env['UPDATE_ANSWERS']) {
    const before = JSON.parse(readFileSync(file, 'utf8')) as Json;
    const isAsBefore = (id: string): boolean => id in before && difference(before[id], answers[id], '') === null;
    const written = Object.entries(answers).map(([id, answer]) => [id, isAsBefore(id) ? before[id] : answer]);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`);
  }
  const shown = JSON.parse(readFileSync(file, 'utf8')) as Json;
  expect(Object.keys(shown).sort()).toEqual(Object.keys(answers).sort());
  for (const [id, answer] of Object.entries(answers))
    expect([id, difference(shown[id], answer, '')]).toEqual([id, null]);
});

/** Says where two answers are not of one form; null and an empty list may stand for anything. */
function difference(shown: unknown, real: unknown, place: string): string | null {
  if (shown === null || real === null) return null;
  if (Array.isArray(shown) && Array.isArray(real))
    return shown.length === 0 || real.length === 0 ? null : difference(shown[0], real[0], `${place}[0]`);
  if (typeof shown === 'object' && typeof real === 'object') {
    const [left, right] = [shown as Json, real as Json];
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    const missing = keys.find((key) => !(key in left) || !(key in right));
    if (missing !== undefined) return `${place}.${missing} is in one of them only`;
    return keys.map((key) => difference(left[key], right[key], `${place}.${key}`)).find((found) => found) ?? null;
  }
  return typeof shown === typeof real ? null : `${place} is ${typeof shown} there and ${typeof real} here`;
}

const secrets = new Set(['api_key', 'secret', 'client_secret', 'password']);

/** One item of each list, no secrets, and the addresses of a usual `npm start`. */
function shortened(answer: unknown): unknown {
  const { base_url: base, sandbox_url: sandbox } = desk.facts;
  const written = JSON.stringify(answer, (key, value: unknown) => {
    if (secrets.has(key) && typeof value === 'string') return `${value.slice(0, value.lastIndexOf('_') + 1)}…`;
    return value;
  })
    .replaceAll(base, 'http://127.0.0.1:3000')
    .replaceAll(sandbox, 'http://127.0.0.1:3001');
  const short = JSON.parse(written) as unknown;
  if (Array.isArray(short)) return short.slice(0, 1);
  const { results } = short as { results?: unknown[] };
  return results ? { ...(short as Json), results: results.slice(0, 1) } : short;
}
