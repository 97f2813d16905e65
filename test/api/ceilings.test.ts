import { ceilings } from '../../api/services/identity/workspaces/objectLimits';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createPipeline } from '../factories/tickets';
import { unique } from '../factories/unique';
import { pushSubscription } from '../factories/writeSamples';
import type { TestApi } from '../support/api';
import { patiently } from '../support/patiently';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer, ApiClient } from '../support/client';

type Json = Record<string, unknown>;

let desk: TestApi;
let session: ApiClient;
let pipeline: number;
let macro: number;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  session = (await ownerSession(desk.workspace)).api;
  pipeline = (await createPipeline(desk.workspace)).id;
  macro = await createMacro(desk.workspace, [step('set_status', { status: 'open' })]);
});
afterAll(() => desk.close());

const makers: Record<keyof typeof ceilings, { path: () => string; body: () => Json; holds?: (row: Json) => boolean }> =
  {
    subscriptions: {
      path: () => '/api/v1/webhooks/',
      body: () => ({ url: `https://example.com/${unique()}`, events: ['ticket.created'] }),
    },
    'custom fields': {
      path: () => '/api/v1/custom-fields/',
      body: () => ({ name: `field_${unique()}`, field_type: 'text' }),
    },
    pipelines: { path: () => '/api/v1/ticket-pipelines/', body: () => ({ name: `Pipeline ${unique()}` }) },
    stages: { path: () => `/api/v1/ticket-pipelines/${pipeline}/stages/`, body: () => ({ name: `Stage ${unique()}` }) },
    macros: {
      path: () => '/api/v1/macros/',
      body: () => ({ name: `Macro ${unique()}`, actions: [{ type: 'set_status', params: { status: 'open' } }] }),
    },
    calendars: {
      path: () => '/api/v1/calendars/',
      body: () => ({ name: 'Hours', periods: [{ weekday: 'monday', opens: '09:00', closes: '17:00' }] }),
    },
    rules: {
      path: () => '/api/v1/rules/',
      body: () => ({ name: `Rule ${unique()}`, on: [{ event: 'conversation.created' }], macro_id: macro }),
    },
    'canned replies': {
      path: () => '/api/v1/canned-replies/',
      body: () => ({ shortcut: `reply${unique()}`, body: 'Hello' }),
    },
    views: {
      path: () => '/api/v1/views/',
      body: () => ({ name: `View ${unique()}`, filters: { view: 'mine' } }),
    },
    browsers: { path: () => '/api/v1/push-subscriptions/', body: () => pushSubscription(unique()) },
    'API keys': {
      path: () => '/api/v1/api-keys/',
      body: () => ({ name: 'Key', scopes: ['contact.view'] }),
      holds: (row) => row['revoked_at'] === null,
    },
  };

it('the ceilings are those of the contract (C12)', () => {
  expect(Object.entries(ceilings).map(([kind, { owner, max }]) => `${max} ${kind} a ${owner}`)).toEqual([
    '50 subscriptions a workspace',
    '200 custom fields a workspace',
    '50 pipelines a workspace',
    '50 stages a pipeline',
    '500 macros a workspace',
    '100 rules a workspace',
    '50 calendars a workspace',
    '500 canned replies a member',
    '50 views a member',
    '20 browsers a member',
    '500 API keys a workspace',
  ]);
});

it.each(Object.keys(makers) as (keyof typeof ceilings)[])('of many at once, no more %s are made', async (kind) => {
  const { path, body, holds = () => true } = makers[kind];
  const list = async (): Promise<Json[]> =>
    kind === 'stages'
      ? (await session.get<{ stages: Json[] }>(`/api/v1/ticket-pipelines/${pipeline}/`)).body.stages
      : (await session.get<Json[]>(path())).body.filter(holds);
  const before = (await list()).length;
  const ceiling = jest.replaceProperty(ceilings, kind, { ...ceilings[kind], max: before + 2 });
  const make = (): Promise<ApiAnswer> => patiently(() => session.post(path(), body()));
  try {
    const answers = await Promise.all(Array.from({ length: 6 }, make));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toEqual({ error: `A ${ceilings[kind].owner} has at most ${before + 2} ${kind}.` });
    expect(refused?.headers['x-error-code']).toBe('conflict');
    expect(await list()).toHaveLength(before + 2);
  } finally {
    ceiling.restore();
  }
});
