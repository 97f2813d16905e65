import { signedWebhook, webhook } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import type { TestWorkspace } from '../factories/workspaces';
import { createAgent } from './agent';
import { eventually } from './eventually';

type Json = Record<string, unknown>;

/** Somebody whose messages are counted: `1`, `2`, … */
interface Counter {
  readonly phone: string;
  count: number;
}

export const counter = (): Counter => ({ phone: uniquePhone().slice(1), count: 0 });

/** Lets somebody write so many messages that come in one webhook, by the platform's clock of whole seconds. */
export async function countOn(workspace: TestWorkspace, from: Counter, messages = 1): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const listed = Array.from({ length: messages }, () => {
    from.count += 1;
    return {
      ...{ from: from.phone, id: `wamid.counted${unique()}`, timestamp, type: 'text' },
      text: { body: String(from.count) },
    };
  });
  const { status } = await signedWebhook(workspace, webhook(workspace, { messages: listed }));
  expect(status).toBe(200);
}

/** Waits until all that somebody wrote is stored and told, and checks its order wherever it can be read. */
export async function expectCounted(workspace: TestWorkspace, from: Counter, timeoutMs = 60_000): Promise<void> {
  const { db } = workspace.server.runtime;
  const told = (): Promise<{ text: string; created_at: Date; sequence: number | null }[]> =>
    db.rows(
      `SELECT m.body->'text'->>'body' AS text, m.created_at, w.sequence
       FROM messages m JOIN contacts c ON c.id = m.conversation_id
         LEFT JOIN webhook_events w ON w.workspace_id = m.workspace_id AND w.type = 'message.received'
           AND w.subject_id = c.id AND w.data->>'message_id' = m.id::text
       WHERE m.workspace_id = $workspaceId AND c.phone = $phone ORDER BY m.id`,
      { workspaceId: workspace.id, phone: from.phone },
    );
  await eventually(
    async () => {
      const rows = await told();
      expect(rows.filter(({ sequence }) => sequence !== null)).toHaveLength(from.count);
    },
    { timeoutMs },
  );
  const expected = Array.from({ length: from.count }, (_unused, index) => String(index + 1));
  const stored = await told();
  expect(stored.map(({ text }) => text)).toEqual(expected);
  const rising = (values: readonly number[]): number[] => [...values].sort((left, right) => left - right);
  for (const values of [stored.map(({ sequence }) => Number(sequence)), stored.map((row) => Number(row.created_at))])
    expect(values).toEqual(rising(values));

  const listed: string[] = [];
  for (let next: string | null = `/api/v1/conversations/${from.phone}/messages/?page_size=200`; next !== null;) {
    const { body }: { body: { results: Json[]; next: string | null } } = await workspace.api.get(next);
    listed.push(...body.results.map(({ body: said }) => String(((said as Json)['text'] as Json)['body'])));
    next = body.next === null ? null : body.next.slice(workspace.server.url.length);
  }
  expect(listed.reverse()).toEqual(expected);

  const { json } = await createAgent(workspace.api).call('read_messages', { receiver_id: from.phone });
  const read = (json['results'] as { text: string }[]).map(({ text }) => text);
  expect(read.reverse()).toEqual(expected.slice(-read.length));
}
