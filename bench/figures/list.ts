import { listContacts } from '../../api/services/resources/contacts/lists';
import { ratioLine, type Figure } from '../support/figure';
import { compare, type Target } from '../support/load';
import type { Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { recordEntry, recordStatements, writeStatements } from '../support/statements';

/** An authenticated page of 50 contacts against a bare `node:http` and `pg` server that runs the same statements. */
export const figure: Figure = {
  name: 'list',
  async run(context) {
    const installation = await context.install();
    await seedContacts(installation, 2_000);
    const entry = await recordEntry(installation);
    const [count, page] = await recordStatements(installation, (_runtime, ctx) => listContacts(ctx, { page_size: 50 }));
    const bare = await installation.startOwn('bare.js', {
      BARE_STATEMENTS: writeStatements('list', { ...entry, count, page }),
    });
    const api = await installation.startApi();
    const target = (server: Child): Target => ({
      server,
      headers: { authorization: `Bearer ${installation.apiKey}` },
      requests: () => [{ method: 'GET', path: '/api/v1/contacts/?page_size=50' }],
    });
    const { ours, bare: baseline, ratio } = await compare(target(api), target(bare), context.quick);
    context.log(`median of the rounds' ratios ${ratio.toFixed(2)}`);
    return [
      ratioLine('GET 50 contacts, requests/s', ours.perSecond, baseline.perSecond, { atLeast: 0.6 }),
      ratioLine('GET 50 contacts, p99 in ms', ours.p99Ms, baseline.p99Ms, { below: 2 }),
      { what: 'GET 50 contacts, processor ms per request', value: ours.processorMs, baseline: baseline.processorMs },
    ];
  },
};
