import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { alertRules } from '../support/alerts';
import { root } from '../support/settings';

interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
}

const file = safeLoad(readFileSync(path.join(root, 'ops', 'alertmanager.yml'), 'utf8')) as {
  readonly inhibit_rules: readonly Inhibition[];
};
const namesIn = (matchers: readonly string[]): string[] =>
  matchers.flatMap((matcher) => {
    const [, operator = '', names = ''] = /^alertname (=~?) "?([\w|]+)"?$/.exec(matcher.trim()) ?? [];
    expect([matcher, operator]).toEqual([matcher, names.includes('|') ? '=~' : '=']);
    return names.split('|');
  });
const rules = file.inhibit_rules.map(({ source_matchers: from, target_matchers: to }) => ({
  causes: namesIn(from),
  effects: namesIn(to),
}));
const silencedBy = (cause: string): string[] =>
  rules.flatMap(({ causes, effects }) => (causes.includes(cause) ? effects : []));

it('inhibits only alerts that there are, none by itself, and no cause by its own effect', () => {
  const known = alertRules().map(({ alert }) => alert);
  for (const { causes, effects } of rules) {
    for (const name of [...causes, ...effects]) expect(known).toContain(name);
    for (const cause of causes)
      for (const effect of effects) {
        expect([cause, effect === cause]).toEqual([cause, false]);
        expect([cause, effect, silencedBy(effect).includes(cause)]).toEqual([cause, effect, false]);
      }
  }
});

it('what needs Temporal or the database is silent while that rings, and so are the alerts of all backlogs', () => {
  const backlogs = alertRules().filter(
    ({ expr, labels }) => expr.includes('backlog_oldest_seconds') && labels.severity === 'page',
  );
  expect(backlogs.length).toBeGreaterThan(4);
  for (const { alert } of backlogs) expect(silencedBy('DatabaseDown')).toContain(alert);
  for (const alert of ['OutboxStuck', 'WebhooksBehind', 'MessagesWait', 'SweepFailing', 'BroadcastLate'])
    expect(silencedBy('EngineDown')).toContain(alert);
});

it('a cause rings before its effects, and within two minutes', () => {
  const waits = new Map(alertRules().map((rule) => [rule.alert, rule]));
  const secondsOf = (alert: string): number => {
    const { expr = '', for: waitFor = '0m' } = waits.get(alert) ?? {};
    const age = /_oldest_seconds\{[^}]*\}\) > (\d+)/.exec(expr)?.[1] ?? '0';
    return Number(age) + Number(/^(\d+)m$/.exec(waitFor)?.[1]) * 60;
  };
  for (const cause of ['ApiDown', 'WorkersDown', 'DatabaseDown', 'EngineDown'])
    expect([cause, secondsOf(cause) <= 120]).toEqual([cause, true]);
  for (const cause of ['DatabaseDown', 'EngineDown'])
    for (const effect of ['OutboxStuck', 'WebhooksBehind', 'MessagesWait', 'SweepFailing', 'LoopFailing'])
      expect([cause, effect, secondsOf(cause) < secondsOf(effect)]).toEqual([cause, effect, true]);
});
