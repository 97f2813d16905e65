import { createLogger } from '../../api/core/logger';
import { fetchDueFiles } from '../../api/services/processes/files/fetch';
import { createProcessMetrics } from '../../api/services/processes/maintenance/metrics';
import { createCustomer } from '../factories/customers';
import { postFile } from '../factories/files';
import { watchAlerts } from '../support/alerts';
import { startApi, type TestApi } from '../support/api';
import { itOnSmallDisk, smallDisk } from '../support/smallDisk';

const disk = smallDisk(1);
const lines: string[] = [];
let desk: TestApi | undefined;
afterAll(async () => {
  await desk?.close();
  if (typeof disk !== 'string') await disk.close();
});

const signature = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const picture = Buffer.concat([signature, Buffer.alloc(188_000)]);

itOnSmallDisk(
  disk,
  'a full disk of files is no fault of a request: 503, counted, told and rung for; what waits goes on with room',
  async ({ folder, fill, free }) => {
    const logger = createLogger('info', 'test', { write: (line) => void lines.push(line) });
    const own = (desk = await startApi({ env: { FILES_DIR: folder }, logger }));
    const { runtime, workspace } = own;
    const customer = createCustomer(workspace);
    const files = async (): Promise<unknown> => {
      await runtime.db.rows(`UPDATE files SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL`);
      while (await fetchDueFiles(runtime));
      const { body } = await own.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
      return ((body['results'] as Record<string, unknown>[])[0]?.['media'] as Record<string, unknown>)['status'];
    };
    const watch = watchAlerts();
    const ringing = async (minute: number): Promise<boolean> => {
      const page = await createProcessMetrics(runtime).read();
      return watch.scraped({ atMs: minute * 60_000, pages: { api: page } }).includes('FileStoreFails');
    };
    await ringing(0);
    await fill();
    for (let minute = 1; minute <= 4; minute += 1) {
      expect(await postFile(workspace, picture)).toMatchObject({
        status: 503,
        code: 'unavailable',
        body: { error: 'Files cannot be kept or read at the moment. Try again shortly.' },
      });
      expect(await ringing(minute)).toBe(minute > 2);
    }
    await customer.writes({ type: 'image', image: { data: picture.toString('base64'), mime_type: 'image/png' } });
    expect(await files()).toBe('pending');
    expect(await runtime.counts.registry.metrics()).toMatch(/^msgdesk_file_store_failures_total 5$/m);
    expect(lines.filter((line) => line.includes('"files.store_failed"') && line.includes('ENOSPC'))).toHaveLength(5);

    await free();
    expect(await postFile(workspace, picture)).toMatchObject({ status: 201 });
    expect(await files()).toBe('stored');
    expect(await ringing(12)).toBe(false);
  },
);
