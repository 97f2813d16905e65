import { alertRules, watchAlerts } from '../support/alerts';
import { compileExpression, Metrics } from '../support/promql';

const everyMs = 15_000;

/** Gathers a page for each step; a text per series and step. */
function metricsOf(series: Readonly<Record<string, readonly (number | null)[]>>): Metrics {
  const metrics = new Metrics();
  const steps = Math.max(...Object.values(series).map(({ length }) => length));
  for (let step = 0; step < steps; step += 1) {
    const lines = Object.entries(series).flatMap(([name, values]) => {
      const value = values[step] ?? null;
      return value === null ? [] : [`${name} ${value}`];
    });
    metrics.add({ atMs: step * everyMs, pages: { api: lines.join('\n') } });
  }
  return metrics;
}

// By the rules of Prometheus 3: a span has no beginning, and growth is told to its edges.
it.each([
  ['sum(rate(calls[1m]))', [{ labels: {}, value: 0.2 }]],
  ['increase(calls{code="1"}[1m])', [{ labels: { instance: 'api', code: '1' }, value: 8 }]],
  // A counter that began anew, and one that was not there before.
  ['increase(restarted[1m])', [{ labels: { instance: 'api' }, value: 28 / 3 }]],
  ['increase(born[2m])', [{ labels: { instance: 'api' }, value: 3 }]],
  ['max by (code) (calls) > 20', []],
  ['max by (code) (calls) > 7', [{ labels: { code: '1' }, value: 10 }]],
  ['sum(calls{code=~"1|2"}) / sum(calls{code!~"1"})', [{ labels: {}, value: 3 }]],
  ['absent(nothing)', [{ labels: {}, value: 1 }]],
  ['absent(calls) or max(gone) == 3', []],
  ['sum by (code) (calls) unless sum by (code) (max_over_time(calls[30s] offset 45s))', []],
  ['histogram_quantile(0.5, sum by (le) (size_bucket))', [{ labels: {}, value: 1.5 }]],
])('%s', (text, expected) => {
  const metrics = metricsOf({
    'calls{code="1"}': [2, 4, 6, 8, 10],
    'calls{code="2"}': [1, 2, 3, 4, 5],
    restarted: [8, 9, 3, 5, 7],
    born: [null, null, null, 2, 4],
    gone: [3, 3, 3, null, null],
    'size_bucket{le="1"}': [4, 4, 4, 4, 4],
    'size_bucket{le="2"}': [12, 12, 12, 12, 12],
    'size_bucket{le="+Inf"}': [16, 16, 16, 16, 16],
  });
  const found = compileExpression(text, metrics)(4 * everyMs);
  expect(found).toEqual(expected.map(({ labels, value }) => ({ labels, value: expect.closeTo(value, 9) as number })));
});

it.each(['topk(3, calls)', 'calls > bool 3', 'sum(calls', 'deriv(calls[5m])'])(
  'refuses what it does not know: %s',
  (text) => {
    expect(() => compileExpression(text, new Metrics())).toThrow('is not known here');
  },
);

it('knows all that is shipped; an alert fires once its time has passed, and while it is true', () => {
  const watch = watchAlerts();
  const page = (holds: number): string =>
    [
      'msgdesk_http_request_duration_seconds_count{status="200"} 1',
      'msgdesk_worker_running{worker="interactive"} 1',
      `msgdesk_delivery_holds ${holds}`,
    ].join('\n');
  const firing = [1, 1, 1, 1, 1, 0].map((holds, step) =>
    watch.scraped({ atMs: step * everyMs, pages: { api: page(holds) } }),
  );
  expect(firing).toEqual([[], [], [], [], ['SendingHeld'], []]);
  expect([...watch.fired]).toEqual(['SendingHeld']);
  expect(alertRules().length).toBeGreaterThan(20);
});
