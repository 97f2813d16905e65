import autocannon from 'autocannon';
import type { Figure } from '../support/figure';
import { percentile, sleep } from '../support/stats';
import { createTenant, seedCustomers } from '../support/tenants';

/**
 * What a member waits for a page of contacts while a hundred callers of another workspace, of 60,000 contacts, search
 * without a pause: the turns in which workspaces get connections to the database.
 */
export const figure: Figure = {
  name: 'storm',
  async run(context) {
    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    const loud = await createTenant(installation, 0, api.url, 80);
    const quiet = await createTenant(installation, 1, api.url, 80);
    await seedCustomers(installation, loud, 60_000);
    await seedCustomers(installation, quiet, 50);
    await installation.sql('VACUUM ANALYZE');

    /** Reads a page every 50 ms, and returns how long each took, in ms. */
    async function read(seconds: number): Promise<readonly number[]> {
      const took: number[] = [];
      for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
        const began = performance.now();
        const answer = await fetch(`${api.url}/api/v1/contacts/?page_size=10`, {
          headers: { authorization: `Bearer ${quiet.apiKey}` },
        });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`the quiet workspace was answered ${answer.status}`);
        took.push(performance.now() - began);
        await sleep(50);
      }
      return took;
    }

    await read(2);
    const alone = await read(context.quick ? 3 : 10);
    const seconds = context.quick ? 5 : 15;
    const storm = autocannon({
      url: `${api.url}/api/v1/contacts/?search=omer%201&page_size=10&ordering=name`,
      headers: { authorization: `Bearer ${loud.apiKey}` },
      connections: 100,
      duration: seconds + 4,
    });
    await sleep(2_000);
    const beside = await read(seconds);
    await storm;
    return [0.5, 0.99].map((share) => ({
      what: `a page beside 100 callers of another workspace, p${share * 100} in ms`,
      value: percentile(beside, share),
      baseline: percentile(alone, share),
    }));
  },
};
