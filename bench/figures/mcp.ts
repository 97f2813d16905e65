import { ratioLine, type Figure } from '../support/figure';
import { compare, type Target } from '../support/load';
import { seedContacts } from '../support/seed';

/** `tools/call` of read_messages against the REST call that it wraps, on the same API process, 20 messages each. */
export const figure: Figure = {
  name: 'mcp',
  async run(context) {
    const installation = await context.install();
    const [handle = ''] = await seedContacts(installation, 100);
    await installation.sql(
      `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, wamid, created_at)
       SELECT $1, v.id, 'inbound', 'text', '{"type": "text", "text": {"body": "Where is my parcel?"}}', 'received',
         'wamid.' || n, now() - n * interval '1 minute'
       FROM conversations v JOIN contacts c ON c.id = v.contact_id, generate_series(1, 50) AS n
         WHERE c.workspace_id = $1 AND c.receiver_id = $2`,
      [installation.ctx.workspaceId, handle],
    );
    const server = await installation.startApi();
    const headers = { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_messages', arguments: { receiver_id: handle } },
    });
    const tool: Target = { server, headers, requests: () => [{ method: 'POST', path: '/mcp', body }] };
    const rest: Target = {
      server,
      headers,
      requests: () => [{ method: 'GET', path: `/api/v1/conversations/${handle}/messages/?page_size=20` }],
    };
    const { ours, bare, ratio } = await compare(tool, rest, context.quick);
    context.log(`median of the rounds' ratios ${ratio.toFixed(2)}`);
    return [
      ratioLine('tools/call read_messages against REST, requests/s', ours.perSecond, bare.perSecond, { atLeast: 0.8 }),
      ratioLine('tools/call read_messages against REST, p99 in ms', ours.p99Ms, bare.p99Ms, { below: 2 }),
      {
        what: 'tools/call read_messages, processor ms per request',
        value: ours.processorMs,
        baseline: bare.processorMs,
      },
    ];
  },
};
