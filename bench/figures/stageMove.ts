import { writtenSql } from '../../dev/makers/people';
import { createPipeline } from '../../api/services/resources/pipelines/service';
import { updateStage } from '../../api/services/resources/pipelines/stages';
import { createTicket } from '../../api/services/resources/tickets/service';
import { atLeast, exactly, ratioLine, type Figure } from '../support/figure';
import { allowThroughput, connectSandbox, control } from '../support/context';
import { familyMs, processorMs } from '../support/processes';
import { seedContacts } from '../support/seed';
import { percentile, until } from '../support/stats';

/**
 * A ticket's move into a notifying stage: the answer with 2,500 affected contacts against one with none, and how fast
 * they are told.
 */
export const figure: Figure = {
  name: 'stage-move',
  async run(context) {
    const affected = context.quick ? 500 : 2_500;
    const rounds = context.quick ? 10 : 40;
    const installation = await context.install({ sandbox: true });
    const { ctx } = installation;
    const api = await installation.startApi();
    await connectSandbox(installation, api.url);
    // A fast number of a platform nearby.
    await allowThroughput(installation, 1_000);
    await control(installation, 'settings', { latency_ms: 20 });
    await seedContacts(installation, affected);
    await installation.sql(writtenSql('conversations WHERE workspace_id = $1'), [ctx.workspaceId]);
    const contacts = await installation.sql<{ id: number }>(
      'SELECT id FROM contacts WHERE workspace_id = $1 ORDER BY id',
      [ctx.workspaceId],
    );

    const pipeline = await createPipeline(ctx, { name: 'Outage', stages: [{ name: 'New' }, { name: 'Fixed' }] });
    const [first, second] = pipeline.stages.map((stage) => stage.id) as [number, number];
    const variables = {
      body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'ticket', field: 'stage' } },
    } as const;
    await updateStage(ctx, pipeline.id, second, {
      notify_template_id: '564750795574598',
      notify_template_variables: variables,
    });
    const make = async (ids: number[]): Promise<number> =>
      (await createTicket(ctx, { title: 'Outage', pipeline: pipeline.id, stage: first, affected_contact_ids: ids })).id;
    const move = async (id: number): Promise<number> => {
      const begun = performance.now();
      const answer = await fetch(`${api.url}/api/v1/tickets/${id}/`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ stage: second }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`PATCH answered ${answer.status}`);
      return performance.now() - begun;
    };

    // No worker yet: the answers are measured alone, in turns.
    const [few, many]: [number[], number[]] = [[], []];
    for (let round = -3; round < rounds; round += 1) {
      const [none, all] = [await make([]), await make(contacts.map((contact) => contact.id))];
      const times = round % 2 ? [await move(none), await move(all)] : [await move(all), await move(none)].reverse();
      if (round < 0) continue;
      few.push(times[0] ?? 0);
      many.push(times[1] ?? 0);
    }
    // Those moves were only for the clock: their workflows find nobody to tell.
    await installation.sql(`UPDATE ticket_stage_moves SET recipient_ids = '{}', completed_at = now()`);

    const told = await make(contacts.map((contact) => contact.id));
    const worker = await installation.startWorker();
    const parts: readonly (readonly [string, () => number])[] = [
      ['worker', () => processorMs(worker.pid)],
      ['Temporal', () => processorMs(Number(process.env['BENCH_TEMPORAL_PID']))],
      ['PostgreSQL', () => familyMs(Number(process.env['BENCH_POSTGRES_PID']))],
    ];
    const usedBefore = parts.map(([, read]) => read());
    await move(told);
    const begun = Date.now();
    await until(
      'telling everybody',
      300_000,
      async () => (await control<{ count: number }>(installation, 'sent/count')).count >= affected,
      100,
    );
    const seconds = (Date.now() - begun) / 1000;
    const used = parts.map(([name, read], index) => ({
      what: `processor ms per notification: ${name}`,
      value: (read() - (usedBefore[index] ?? 0)) / affected,
    }));
    const doubled = await control<{ count: number }>(installation, 'sent/duplicates');
    await worker.stop();
    return [
      ratioLine(
        `PATCH that moves, ${affected} affected contacts, p50 in ms`,
        percentile(many, 0.5),
        percentile(few, 0.5),
        { below: 3 },
      ),
      atLeast(`stage notifications per second, ${affected} recipients`, affected / seconds, 100),
      ...used,
      exactly('sent twice', doubled.count, 0),
    ];
  },
};
