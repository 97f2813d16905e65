import http from 'node:http';
import { createKey } from '../../api/services/identity/apiKeys/service';
import { atMost, exactly, type Figure } from '../support/figure';
import type { Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { inParallel, median, percentile } from '../support/stats';

/** Returns a request on a kept connection; gives the status and how long it took. */
function request(
  agent: http.Agent,
  server: Child,
  path: string,
  apiKey: string,
): Promise<{ status: number; ms: number }> {
  const started = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    http
      .get(`${server.url}${path}`, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
        response.resume();
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, ms: Number(process.hrtime.bigint() - started) / 1e6 }),
        );
      })
      .on('error', reject);
  });
}

/** What the limit costs a request, and that it holds over several API processes. */
export const figure: Figure = {
  name: 'rate-limit',
  async run(context) {
    const installation = await context.install();
    const [handle] = await seedContacts(installation, 10);
    const path = `/api/v1/contacts/${handle ?? ''}/`;
    const limited = await installation.startApi();
    const unlimited = await installation.startApi({}, 'bench/processes/unlimitedApi.js');
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const one = async (server: Child): Promise<number> => (await request(agent, server, path, installation.apiKey)).ms;
    for (let warm = 0; warm < 300; warm += 1) await one(warm % 2 ? limited : unlimited);

    // In turns, one by one: what else the machine does falls on both alike.
    const rounds: { with: number; without: number; middle: number }[] = [];
    for (let round = 0; round < (context.quick ? 5 : 15); round += 1) {
      const on: number[] = [];
      const off: number[] = [];
      for (let index = 0; index < (context.quick ? 200 : 500); index += 1) {
        on.push(await one(limited));
        off.push(await one(unlimited));
      }
      rounds.push({ with: percentile(on, 0.95), without: percentile(off, 0.95), middle: median(on) - median(off) });
    }
    agent.destroy();
    const added = median(rounds.map((round) => round.with - round.without));

    const { apiKey } = await createKey(installation.ctx, {
      memberId: await memberOf(installation.sql),
      name: 'Parallel',
      scopes: ['all'],
    });
    const replicas = await Promise.all([1, 2, 3, 4].map(() => installation.startApi({ RATE_LIMIT_PER_MINUTE: '60' })));
    const statuses = new Map<number, number>();
    const many = new http.Agent({ keepAlive: true, maxSockets: 250 });
    await inParallel(Array.from({ length: 1_000 }), 1_000, async (_item, index) => {
      const { status } = await request(many, replicas[index % replicas.length] as Child, path, apiKey);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    many.destroy();
    return [
      atMost('added to sequential requests, p95 in ms', added, 1),
      { what: 'added to sequential requests, p50 in ms', value: median(rounds.map((round) => round.middle)) },
      {
        what: 'p95 in ms with the limit, against without',
        value: median(rounds.map((round) => round.with)),
        baseline: median(rounds.map((round) => round.without)),
      },
      exactly('1,000 parallel requests over 4 processes: passed', statuses.get(200) ?? 0, 60),
      exactly('1,000 parallel requests over 4 processes: refused (429)', statuses.get(429) ?? 0, 940),
    ];
  },
};

async function memberOf(sql: (text: string) => Promise<{ id: number }[]>): Promise<number> {
  return (await sql('SELECT id FROM members LIMIT 1'))[0]?.id ?? 0;
}
