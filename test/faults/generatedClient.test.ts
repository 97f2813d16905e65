import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { templateId } from '../factories/broadcasts';
import { startApi, type TestApi } from '../support/api';
import { copyDependencies, describeJar } from '../support/jar';
import { describePython } from '../support/python';

const run = promisify(execFile);
const limitMs = 240_000;
/** What the generated client asks for. */
const packages = ['urllib3==2.8.0', 'python-dateutil==2.9.0.post0', 'pydantic==2.14.3', 'typing-extensions==4.16.0'];
const programs = path.join(__dirname, 'clients');

describeJar('org.openapitools:openapi-generator-cli:7.17.0', 'a client of openapi-generator', (jar) => {
  let desk: TestApi;
  let folder: string;
  let source: string;
  beforeAll(async () => {
    desk = await startApi();
    folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
    source = path.join(folder, 'openapi.json');
    await writeFile(source, JSON.stringify((await desk.anonymous.get('/api/v1/openapi.json?for=keys')).body));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await desk.close();
  });

  /** Generates a client in a folder of its own. */
  async function generate(language: string, ...how: string[]): Promise<string> {
    const target = path.join(folder, language);
    const parts = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((part) => `${part}=false`).join();
    const given = ['-g', language, '-i', source, '-o', target, '--global-property', parts, ...how];
    await run('java', ['-jar', jar, 'generate', ...given], { timeout: limitMs, maxBuffer: 64 * 1024 * 1024 });
    return target;
  }

  /** What a shop's program is given: address, key, template, number, member. */
  function shopArguments(): string[] {
    const { account, owner, token } = desk.workspace;
    return [desk.url, token, templateId(desk.workspace, 'ticket_update'), account.phoneNumberId, String(owner.id)];
  }

  const done = {
    imported: [2, 0],
    unassigned: null,
    same: true,
    listed: [true],
    broadcast: [1, 1, true],
    tickets: ['Broken bug', 'Broken other'],
  };

  describePython(packages, 'for Python', ({ program, env }) => {
    test(
      'does what a shop does: import, lists, template, broadcast, tickets, unassign',
      async () => {
        const target = await generate('python', '--package-name', 'shop_client');
        const { stdout } = await run(program, [path.join(programs, 'shop.py'), ...shopArguments()], {
          env: { ...env, PYTHONPATH: `${env['PYTHONPATH']}:${target}`, PYTHONDONTWRITEBYTECODE: '1' },
        });
        expect(JSON.parse(stdout)).toEqual({ ...done, found: ['Anna', 'Ben'] });
      },
      2 * limitMs,
    );
  });

  test(
    'for Go does the same',
    async () => {
      const target = await generate('go', '--package-name', 'shop', '--git-host', 'example.test', '--git-repo-id', '');
      await writeFile(
        path.join(target, 'go.mod'),
        'module example.test/shop\n\ngo 1.23\n\nrequire gopkg.in/validator.v2 v2.0.1\n',
      );
      await mkdir(path.join(target, 'day'));
      await copyFile(path.join(programs, 'shop.go'), path.join(target, 'day', 'main.go'));
      const { stdout } = await run('go', ['run', './day', ...shopArguments()], {
        cwd: target,
        env: { ...process.env, GOFLAGS: '-mod=mod' },
        timeout: limitMs,
      });
      expect(JSON.parse(stdout)).toEqual({ ...done, found: ['Anna'] });
    },
    2 * limitMs,
  );

  test(
    'for Java does the same',
    async () => {
      const places = 'invokerPackage=shop,apiPackage=shop.api,modelPackage=shop.model';
      // Without the last one lists that nobody has filled are sent, as empty ones.
      const names = `${places},useJakartaEe=true,containerDefaultToNull=true`;
      const target = await generate('java', '--library', 'native', '--additional-properties', names);
      const classes = `${copyDependencies(target)}/*`;
      const all = await readdir(path.join(target, 'src', 'main', 'java'), { recursive: true });
      const sources = all
        .filter((file) => file.endsWith('.java'))
        .map((file) => path.join(target, 'src', 'main', 'java', file));
      const out = path.join(target, 'out');
      const compile = ['-nowarn', '-proc:none', '-cp', classes, '-d', out, path.join(programs, 'Shop.java')];
      await run('javac', [...compile, ...sources], { timeout: limitMs });
      const { stdout } = await run('java', ['-cp', `${out}:${classes}`, 'Shop', ...shopArguments()]);
      expect(JSON.parse(stdout)).toEqual({ ...done, unassigned: 'null', found: ['Anna'] });
    },
    2 * limitMs,
  );
});
