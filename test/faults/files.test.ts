import { createHash } from 'node:crypto';
import { loadConfig } from '../../api/core/config';
import { createRuntime } from '../../api/core/runtime';
import { fetchDueFiles } from '../../api/services/processes/files/fetch';
import { storeName } from '../../api/services/resources/files/rows';
import { buffer } from 'node:stream/consumers';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { startApi, type TestApi } from '../support/api';
import { movedClock } from '../support/clock';

const files = 10_000;
const quarterMs = 15 * 60_000;
const dayMs = 86_400_000;
/** A look each three hours of the simulated week. */
const stepMs = 3 * 3_600_000;
const steps = (8 * dayMs) / stepMs;

let desk: TestApi;
let now = Date.now();
beforeAll(async () => {
  desk = await startApi({ clock: movedClock(() => new Date(now)), sandboxClock: () => now });
});
afterAll(() => desk.close());

const wanted = new Map<string, string>();

/** Customers send so many pictures, no two of them the same. */
async function written(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const place = wanted.size;
    const data = Buffer.concat([sampleFile('sticker').data, Buffer.from(`picture ${place}`)]);
    const { wamid } = desk.sandbox.inbound({
      phone_number_id: desk.workspace.account.phoneNumberId,
      from: { phone: String(4_915_200_000_000 + (place % 500)) },
      message: { type: 'sticker', sticker: { data: data.toString('base64'), mime_type: 'image/webp' } },
    });
    wanted.set(String(wamid), createHash('sha256').update(data).digest('hex'));
  }
  await desk.settled();
}

const fetched = async (): Promise<void> => {
  while (await fetchDueFiles(desk.runtime));
};
const countOf = async (status: string): Promise<number> =>
  (
    await desk.runtime.db.row<{ count: number }>('SELECT count(*)::int AS count FROM files WHERE status = $status', {
      status,
    })
  )?.count ?? -1;

/** A process takes what is due, and is killed before anything of it is here. */
async function killedWhileFetching(): Promise<void> {
  const killed = createRuntime(loadConfig(desk.test.env), 'test', {
    clock: desk.runtime.clock,
    logger: desk.runtime.logger,
  });
  const never = new Promise<never>(() => undefined);
  jest.spyOn(killed.files, 'write').mockImplementation(() => never);
  void fetchDueFiles(killed);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await killed.db.close();
}

it(
  'of ten thousand files over eight days with an hour without media and a restart, none is lost',
  async () => {
    for (let step = 0; step < steps; step += 1) {
      now += stepMs;
      await written(Math.floor(files / steps) + (step < files % steps ? 1 : 0));
      if (step === 20) {
        // An hour in which the platform gives no file.
        const fault = desk.sandbox.faults.add({ kind: 'error', code: 2, path: '_media/', method: 'GET' });
        for (let quarter = 0; quarter < 4; quarter += 1) {
          await fetched();
          now += quarterMs;
        }
        expect(await countOf('pending')).toBeGreaterThan(100);
        desk.sandbox.faults.clear(fault.id);
      }
      if (step === 40) await killedWhileFetching();
      await fetched();
    }
    now += quarterMs;
    await fetched();
    expect([await countOf('stored'), await countOf('pending'), await countOf('lost')]).toEqual([files, 0, 0]);

    // Each is what its customer sent, here and in the store.
    const rows = await desk.runtime.db.rows<{ wamid: string; sha256: string; workspace_id: number; public_id: string }>(
      'SELECT m.wamid, f.sha256, f.workspace_id, f.public_id FROM messages m JOIN files f ON f.id = m.file_id',
    );
    expect(rows).toHaveLength(files);
    let wrong = 0;
    for (const row of rows) {
      const bytes = await desk.runtime.files.read(storeName(row));
      const kept = bytes
        ? createHash('sha256')
            .update(await buffer(bytes))
            .digest('hex')
        : '';
      if (row.sha256 !== wanted.get(row.wamid) || kept !== row.sha256) wrong += 1;
    }
    expect(wrong).toBe(0);

    // The first of them are long gone at the platform.
    const first = await desk.runtime.db.row<{ id: number; body: { sticker: { id: string } } }>(
      'SELECT id, body FROM messages ORDER BY id LIMIT 1',
    );
    const { upstream } = desk.runtime;
    await expect(upstream.get(desk.workspace.account.accessToken, first?.body.sticker.id ?? '')).rejects.toThrow(
      /exist/,
    );
    expect((await desk.api.get(`/api/v1/messages/${first?.id ?? 0}/media/`)).status).toBe(200);
  },
  10 * 60_000,
);
