import { sampleFile } from '../../dev/sandbox/play/samples';
import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { allowThroughput, connectSandbox, control, type Context, type Installation } from '../support/context';
import { exactly, type Figure } from '../support/figure';
import { inParallel, until } from '../support/stats';

const uploadBytes = 100_000;
const callers = 8;

/**
 * Customers' files from a backlog into the store by one worker, uploads through one API process, and sends of one of
 * them by its id, from accepted to at the platform.
 */
export const figure: Figure = {
  name: 'files',
  async run(context: Context) {
    const count = context.quick ? 200 : 2_000;
    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    await connectSandbox(installation, api.url);
    await allowThroughput(installation, 1_000);
    const phones = Array.from({ length: count }, (_unused, index) => `4917${String(index).padStart(9, '0')}`);

    await inParallel(phones, callers, (phone) =>
      control(installation, 'inbound', {
        phone_number_id: demoPhoneNumberId,
        from: { phone },
        message: { type: 'image', image: {} },
      }).then(() => undefined),
    );
    await installation.startWorker();
    await until('the first file', 60_000, async () => (await stored(installation)) > 0);
    const [fetchedFrom, before] = [performance.now(), await stored(installation)];
    await until('all files', 300_000, async () => (await stored(installation)) >= count);
    const fetched = perSecond(count - before, fetchedFrom);

    const file = Buffer.concat([sampleFile('image').data, Buffer.alloc(uploadBytes)]);
    const ids: string[] = [];
    const uploadedFrom = performance.now();
    await inParallel(phones, callers, async () => {
      ids.push(await upload(installation, api.url, file));
    });
    const uploaded = perSecond(count, uploadedFrom);

    const sentFrom = performance.now();
    await inParallel(phones, callers, async (phone) => {
      const answer = await fetch(`${api.url}/api/v1/messages/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: `+${phone}`, image: { id: ids[0] } }),
      });
      if (answer.status !== 201) throw new Error(`a message was refused: ${await answer.text()}`);
    });
    await until('all sends', 120_000, async () => (await sent(installation)) >= count);
    const [uploads] = await installation.sql<{ count: number }>('SELECT count(*)::int AS count FROM file_uploads');
    return [
      { what: "customers' files fetched per second, one worker", value: fetched },
      { what: `uploads of ${uploadBytes / 1000} kB per second, ${callers} callers`, value: uploaded },
      { what: `sends of one file by its id per second, ${callers} callers`, value: perSecond(count, sentFrom) },
      exactly('uploads of it to the platform', uploads?.count ?? -1, 1),
    ];
  },
};

const perSecond = (count: number, from: number): number => (count * 1_000) / (performance.now() - from);

async function upload(installation: Installation, url: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'photo.png');
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  const answer = await fetch(`${url}/api/v1/media/`, { method: 'POST', headers, body: form });
  if (answer.status !== 201) throw new Error(`an upload was refused: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

async function stored(installation: Installation): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    "SELECT count(*)::int AS count FROM files WHERE status = 'stored' AND origin = 'customer'",
  );
  return row?.count ?? 0;
}

async function sent(installation: Installation): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    "SELECT count(*)::int AS count FROM messages WHERE direction = 'outbound' AND wamid IS NOT NULL",
  );
  return row?.count ?? 0;
}
