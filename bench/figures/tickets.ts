import { listTickets } from '../../api/services/resources/tickets/queries';
import { exactly, ratioLine, type Figure } from '../support/figure';
import { compare, type Target } from '../support/load';
import type { Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { seedTickets } from '../support/seedTickets';
import { recordEntry, recordStatements, writeStatements } from '../support/statements';

/**
 * A list of 200 tickets with names and counters in a workspace of 200,000, against a bare server that runs the same
 * statements.
 */
export const figure: Figure = {
  name: 'tickets',
  async run(context) {
    const installation = await context.install();
    const tickets = context.quick ? 20_000 : 200_000;
    await seedContacts(installation, 1_000);
    await seedTickets(installation, tickets);
    context.log(`${tickets} tickets are there`);
    const entry = await recordEntry(installation);
    const statements = await recordStatements(installation, (_runtime, ctx) => listTickets(ctx, { limit: 200 }));
    const [count, page] = statements;
    const bare = await installation.startOwn('bare.js', {
      BARE_STATEMENTS: writeStatements('tickets', { ...entry, count, page }),
    });
    const api = await installation.startApi();
    const target = (server: Child, path: string): Target => ({
      server,
      headers: { authorization: `Bearer ${installation.apiKey}` },
      requests: () => [{ method: 'GET', path }],
    });
    const {
      ours,
      bare: baseline,
      ratio,
    } = await compare(
      target(api, '/api/v1/tickets/?limit=200'),
      target(bare, '/api/v1/contacts/?page_size=50'),
      context.quick,
    );
    context.log(`median of the rounds' ratios ${ratio.toFixed(2)}`);
    return [
      ratioLine(`GET 200 tickets of ${tickets}, requests/s`, ours.perSecond, baseline.perSecond, { atLeast: 0.6 }),
      ratioLine(`GET 200 tickets of ${tickets}, p99 in ms`, ours.p99Ms, baseline.p99Ms, { below: 2 }),
      exactly('statements of the list, beside those of every request', statements.length, 2),
    ];
  },
};
