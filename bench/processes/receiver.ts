import { createServer } from 'node:http';

/** When each event first came in, by its id, in ms since 1970. */
export type Arrivals = Readonly<Record<string, number>>;

/*
 * A receiver of webhooks that does as little as can be: `POST` notes the id and answers 204, `GET /count` says how many
 * different ones came, `GET /` says when each of them did, `DELETE` too, and forgets them.
 */
const arrivals = new Map<string, number>();

createServer((request, response) => {
  if (request.method === 'POST') {
    const id = String(request.headers['webhook-id']);
    if (!arrivals.has(id)) arrivals.set(id, Date.now());
    request.resume().on('end', () => response.writeHead(204).end());
    return;
  }
  const text = JSON.stringify(request.url === '/count' ? arrivals.size : Object.fromEntries(arrivals));
  if (request.method === 'DELETE') arrivals.clear();
  response.end(text);
}).listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('ready\n'));
