import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

interface Metrics {
  readonly granularity: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly metrics: { name: string; points: { timestamp: string; values: Record<string, number> }[] }[];
}

let desk: TestApi;
let path: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
  path = `/api/v1/flows/${account?.flows[0]?.id}/metrics/`;
});
afterAll(() => desk.close());

const dayMs = 86_400_000;
const at = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();

it('gives every figure by day for the last week', async () => {
  const { body } = await desk.api.get<Metrics>(path);
  expect(body.granularity).toBe('day');
  expect(body.metrics.map((metric) => metric.name)).toEqual([
    'endpoint_request_count',
    'endpoint_request_error',
    'endpoint_request_error_rate',
    'endpoint_request_latency_seconds_ceil',
    'endpoint_availability',
  ]);
  const times = body.metrics[0]?.points.map((point) => Date.parse(point.timestamp)) ?? [];
  expect(times.length).toBeGreaterThanOrEqual(7);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(body.to ?? ''));
  expect(Math.min(...times)).toBeGreaterThan(Date.parse(body.from ?? '') - dayMs);
  expect(body.metrics[0]?.points[0]?.values).toEqual({ value: expect.any(Number) });
});

it('gives hours within the span that was asked for, and one figure of a lifetime', async () => {
  const from = '2026-11-20T10:00:00.000Z';
  const to = '2026-11-20T13:00:00.000Z';
  const hours = await desk.api.get<Metrics>(`${path}?granularity=hour&from=${from}&to=${to}`);
  expect(hours.body).toMatchObject({ granularity: 'hour', from, to });
  expect(hours.body.metrics[0]?.points.map((point) => point.timestamp)).toEqual(
    [10, 11, 12, 13].map((hour) => `2026-11-20T${hour}:00:00.000Z`),
  );
  const lifetime = await desk.api.get<Metrics>(`${path}?granularity=lifetime`);
  expect(lifetime.body).toMatchObject({ granularity: 'lifetime', from: null, to: null });
  expect(lifetime.body.metrics[0]?.points).toHaveLength(1);
});

it.each([
  [`from=${at(1)}&to=${at(2)}`, { from: ['from may not be after to.'] }],
  [`granularity=lifetime&from=${at(1)}&to=${at(2)}`, { from: ['from may not be after to.'] }],
  ['from=2999-01-01T00:00:00Z', { from: ['from may not be after to.'] }],
  [`from=${at(200)}`, { from: ['Ensure that from is no more than 90 days before to.'] }],
  [`granularity=hour&from=${at(31)}`, { from: ['Ensure that from is no more than 30 days before to.'] }],
])('refuses %s', async (query, body) => {
  expect(await desk.api.get(`${path}?${query}`)).toMatchObject({ status: 400, body });
});

it.each([
  ['answers with an error', { kind: 'html' }],
  ['drops the connection', { kind: 'reset' }],
  ['refuses the token', { kind: 'error', code: 190 }],
])('is a 503 when the upstream %s', async (_name, fault) => {
  const armed = desk.sandbox.faults.add({ ...fault, path: path.split('/')[4] });
  const answer = await desk.api.get(path);
  desk.sandbox.faults.clear(armed.id);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
});
