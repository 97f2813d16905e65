import { updateConversation } from '../../api/services/resources/conversations/service';
import { ratioLine, type Figure } from '../support/figure';
import { compare, type Target } from '../support/load';
import type { Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { recordEntry, recordStatements, writeStatements } from '../support/statements';

/**
 * PATCH of a conversation's priority against a bare server that runs the same statements; each connection has its own
 * conversation.
 */
export const figure: Figure = {
  name: 'patch',
  async run(context) {
    const installation = await context.install();
    const handles = await seedContacts(installation, 2_000);
    const entry = await recordEntry(installation);
    const statements = await recordStatements(installation, (_runtime, ctx) =>
      updateConversation(ctx, handles[0] ?? '', { priority: 'high' }),
    );
    if (statements.length !== 5) throw new Error(`PATCH ran ${statements.length} statements; the bare server knows 5`);
    const [find, lock, update, event, read] = statements;
    const bare = await installation.startOwn('bare.js', {
      BARE_STATEMENTS: writeStatements('patch', { ...entry, find, lock, update, event, read }),
    });
    const api = await installation.startApi();
    const target = (server: Child): Target => ({
      server,
      headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
      requests: (index: number) =>
        ['urgent', 'low'].map((priority) => ({
          method: 'PATCH',
          path: `/api/v1/conversations/${handles[index + 1] ?? ''}/`,
          body: JSON.stringify({ priority }),
        })),
    });
    const { ours, bare: baseline, ratio } = await compare(target(api), target(bare), context.quick);
    context.log(`median of the rounds' ratios ${ratio.toFixed(2)}`);
    return [
      ratioLine('PATCH conversation, requests/s', ours.perSecond, baseline.perSecond, { atLeast: 0.6 }),
      ratioLine('PATCH conversation, p99 in ms', ours.p99Ms, baseline.p99Ms, { below: 2 }),
      { what: 'PATCH conversation, processor ms per request', value: ours.processorMs, baseline: baseline.processorMs },
    ];
  },
};
