import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { templateId } from '../factories/broadcasts';
import { startApi, type TestApi } from '../support/api';
import { describeJar } from '../support/jar';
import { describePython } from '../support/python';

const run = promisify(execFile);
const limitMs = 240_000;
/** What the generated client asks for. */
const packages = ['urllib3==2.8.0', 'python-dateutil==2.9.0.post0', 'pydantic==2.14.3', 'typing-extensions==4.16.0'];

describeJar('org.openapitools:openapi-generator-cli:7.17.0', 'a client of openapi-generator', (jar) => {
  describePython(packages, 'for Python', ({ program, env }) => {
    let desk: TestApi;
    let folder: string;
    beforeAll(async () => {
      desk = await startApi();
      folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
    });
    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
      await desk.close();
    });

    test(
      'does what a shop does: import, lists, template, broadcast, tickets, unassign',
      async () => {
        const source = path.join(folder, 'openapi.json');
        // What is sent to webhooks is no call of a client; this generator writes broken Python for it.
        const { webhooks: _, ...calls } = (await desk.anonymous.get('/api/v1/openapi.json')).body;
        await writeFile(source, JSON.stringify(calls));
        const parts = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((part) => `${part}=false`).join();
        const how = ['--package-name', 'shop_client', '--global-property', parts];
        await run('java', ['-jar', jar, 'generate', '-g', 'python', '-i', source, '-o', folder, ...how], {
          timeout: limitMs,
          maxBuffer: 64 * 1024 * 1024,
        });
        const { account, owner, token } = desk.workspace;
        const template = templateId(desk.workspace, 'ticket_update');
        const given = [desk.url, token, template, account.phoneNumberId, String(owner.id)];
        const { stdout } = await run(program, [path.join(__dirname, 'clients', 'shop.py'), ...given], {
          env: { ...env, PYTHONPATH: `${env['PYTHONPATH']}:${folder}`, PYTHONDONTWRITEBYTECODE: '1' },
        });
        expect(JSON.parse(stdout)).toEqual({
          imported: [2, 0],
          unassigned: null,
          found: ['Anna', 'Ben'],
          same: true,
          listed: [true],
          broadcast: [1, 1, true],
          tickets: ['Broken bug', 'Broken other'],
        });
      },
      2 * limitMs,
    );
  });
});
