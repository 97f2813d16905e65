import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { compileExpression, durationMs, Metrics, type Scrape } from './promql';
import { root } from './settings';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
}

/** The rules that are shipped. */
export function alertRules(): Rule[] {
  const file = safeLoad(readFileSync(path.join(root, 'ops', 'alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

/** Prometheus and its rules: says at each scrape which alerts fire. */
interface AlertWatch {
  /** Takes a scrape; returns the names of the alerts that fire now. */
  scraped(scrape: Scrape): string[];
  /** The names of all that have fired. */
  readonly fired: ReadonlySet<string>;
}

/** Makes one that has seen nothing yet. */
export function watchAlerts(): AlertWatch {
  const metrics = new Metrics();
  const rules = alertRules().map(({ alert, expr, for: waits }) => ({
    alert,
    evaluate: compileExpression(expr, metrics),
    forMs: waits === undefined ? 0 : durationMs(waits),
  }));
  const since = new Map<string, number>();
  const fired = new Set<string>();
  return {
    fired,
    scraped(scrape) {
      metrics.add(scrape);
      const firing = rules.filter(({ alert, evaluate, forMs }) => {
        const value = evaluate(scrape.atMs);
        if (typeof value === 'number' || value.length === 0) since.delete(alert);
        else if (!since.has(alert)) since.set(alert, scrape.atMs);
        const began = since.get(alert);
        return began !== undefined && scrape.atMs - began >= forMs;
      });
      for (const { alert } of firing) fired.add(alert);
      return firing.map(({ alert }) => alert);
    },
  };
}
