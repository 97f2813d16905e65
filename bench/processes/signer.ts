import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { Agent, request as send } from 'undici';

/** What is to be signed and posted, as fast as the receiver answers. */
export interface SigningOrder {
  readonly target: string;
  readonly secret: string;
  readonly body: string;
  readonly count: number;
  /** Calls at one time. */
  readonly width: number;
}

/** A client that does nothing but sign and post: what deliveries cost without rows, order and retries. */
async function post({ target, secret, body, count, width }: SigningOrder): Promise<{ seconds: number }> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const agent = new Agent({ connections: width, pipelining: 1 });
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) {
        const id = `evt_bare_${(next += 1)}`;
        const timestamp = String(Math.floor(Date.now() / 1_000));
        const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
        const answer = await send(target, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': `v1,${signature}`,
          },
          body,
          dispatcher: agent,
        });
        await answer.body.dump();
        if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  await agent.close();
  return { seconds };
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    post(JSON.parse(Buffer.concat(chunks).toString()) as SigningOrder).then(
      (done) => response.end(JSON.stringify(done)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}).listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('ready\n'));
