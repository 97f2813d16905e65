import { Counter, Registry } from 'prom-client';

/** Names beyond so many are counted together: whoever signs a webhook may call its field anything. */
const maxNames = 100;

/** What a process counts as it happens; its metrics page serves the registry with everything else. */
export interface Counts {
  readonly registry: Registry;
  platformEventIgnored(field: string): void;
}

/** Creates the counters of one process. */
export function createCounts(): Counts {
  const registry = new Registry();
  const ignored = new Counter({
    name: 'msgdesk_platform_events_ignored_total',
    help: 'Events of the platform that were kept because nothing is done with their kind, by field.',
    labelNames: ['field'],
    registers: [registry],
  });
  const fields = new Set<string>();
  return {
    registry,
    platformEventIgnored(field) {
      const known = fields.has(field) || (fields.size < maxNames && /^\w{1,64}$/.test(field));
      if (known) fields.add(field);
      ignored.inc({ field: known ? field : 'other' });
    },
  };
}
