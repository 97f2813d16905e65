import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { freePorts } from '../../dev/lib/ports';
import { eventually } from './eventually';
import { topologyPrograms } from './programs';
import { root } from './settings';

/** How much faster than in `ops/` time runs for the rules. */
const speed = 20;

/**
 * Prometheus on the shipped rules, and the shipped inhibitions on what fires. Alertmanager itself is not there
 * (Debian's runs only where it is installed): an alert rings here when it has fired for `group_wait`, and no cause of
 * it fires.
 */
export interface Alerting {
  /** The alerts that have rung since `forget`, in the order in which they did. */
  rung(): readonly string[];
  forget(): void;
  /** The alerts that fire or are about to. */
  active(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts it; `targets` are the addresses that a job of `ops/prometheus.yml` scrapes. */
export async function startAlerting(targets: Readonly<Record<'api' | 'worker', readonly string[]>>): Promise<Alerting> {
  const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'alerting-'));
  const [port = 0] = await freePorts(1);
  const shipped = (name: string): Promise<string> => readFile(path.join(root, 'ops', name), 'utf8');
  await writeFile(path.join(folder, 'alerts.yml'), faster(await shipped('alerts.yml')));
  const scrapes = Object.entries(targets).map(
    ([job, addresses]) => `  - job_name: ${job}\n    static_configs: [{ targets: ${JSON.stringify(addresses)} }]\n`,
  );
  const interval = `${Math.round(15_000 / speed)}ms`;
  await writeFile(
    path.join(folder, 'prometheus.yml'),
    `global: { scrape_interval: ${interval}, scrape_timeout: ${interval}, evaluation_interval: ${interval} }\n` +
      'rule_files: [alerts.yml]\n' +
      `scrape_configs:\n${scrapes.join('')}`,
  );
  const prometheus = spawn(
    path.join(topologyPrograms.prometheus, 'prometheus'),
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const asks = async <T>(address: string): Promise<T> => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return (await answer.json()) as T;
  };
  const origin = `http://127.0.0.1:${port}/api/v1`;
  await eventually(
    async () => {
      if (prometheus.exitCode !== null) throw new Error(`Prometheus ended with ${prometheus.exitCode}`);
      const { data } = await asks<{ data: { activeTargets: { health: string }[] } }>(`${origin}/targets`);
      expect(data.activeTargets.map(({ health }) => health)).toEqual(
        Object.values(targets).flatMap((each) => each.map(() => 'up')),
      );
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );

  interface Alert {
    readonly state: 'pending' | 'firing';
    readonly labels: { readonly alertname: string };
  }
  const alerts = async (): Promise<readonly Alert[]> =>
    (await asks<{ data: { alerts: Alert[] } }>(`${origin}/alerts`)).data.alerts;

  const { route, inhibit_rules: inhibitions } = safeLoad(await shipped('alertmanager.yml')) as Alertmanager;
  const waitMs = (Number(/^(\d+)s$/.exec(route.group_wait)?.[1]) * 1_000) / speed;
  let rung: string[] = [];
  const since = new Map<string, number>();
  const look = async (): Promise<void> => {
    const firing = new Set(
      (await alerts()).flatMap(({ state, labels }) => (state === 'firing' ? [labels.alertname] : [])),
    );
    const isInhibited = (name: string): boolean =>
      inhibitions.some(
        (rule) =>
          rule.target_matchers.some((matcher) => fits(matcher, name)) &&
          [...firing].some((cause) => rule.source_matchers.some((matcher) => fits(matcher, cause))),
      );
    for (const name of since.keys()) if (!firing.has(name)) since.delete(name);
    for (const name of firing) {
      if (!since.has(name)) since.set(name, Date.now());
      if (Date.now() - (since.get(name) ?? 0) >= waitMs && !isInhibited(name) && !rung.includes(name)) rung.push(name);
    }
  };
  let isClosing = false;
  const looking = (async () => {
    while (!isClosing) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();

  return {
    rung: () => [...rung],
    forget: () => void (rung = []),
    active: async () => [...new Set((await alerts()).map(({ labels }) => labels.alertname))].sort(),
    async close() {
      isClosing = true;
      await looking;
      await ended(prometheus);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The parts of `ops/alertmanager.yml` that decide who rings. */
interface Alertmanager {
  readonly route: { readonly group_wait: string };
  readonly inhibit_rules: readonly {
    readonly source_matchers: readonly string[];
    readonly target_matchers: readonly string[];
  }[];
}

/** Returns whether a matcher of alerts by their names, `alertname =~ "One|Other"`, is of this one. */
function fits(matcher: string, name: string): boolean {
  const [, names = ''] = /^alertname =~? "?([\w|]+)"?$/.exec(matcher.trim()) ?? [];
  return names.split('|').includes(name);
}

/**
 * Divides all times of the rules: durations, and ages of what waits. Loops keep their pace, and so does their alert.
 */
function faster(text: string): string {
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
  return text
    .replace(
      /(for: |\[|offset )(\d+)([smhdw])\b/g,
      (_all, before: string, count: string, unit: keyof typeof unitMs) =>
        `${before}${Math.round((Number(count) * unitMs[unit]) / speed)}ms`,
    )
    .replace(
      /(_oldest_seconds\{[^}]*\}\) > )(\d+)/g,
      (_all, before: string, seconds: string) => `${before}${Number(seconds) / speed}`,
    );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
