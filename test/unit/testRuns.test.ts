import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { selectTests } from '../../dev/tests/changed';
import { costNow, costSince, costTable, noteCost } from '../../dev/tests/costs';
import { importsOf } from '../../dev/tests/files';
import { needsOf } from '../../dev/tests/needs';
import { commandFor, fileOf } from '../../dev/tests/reporter';
import { readExcuses, unexcused, type Excuse } from '../../dev/tests/skipped';
import { root } from '../support/settings';

const tests = ['test', 'dev/sandbox/test']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => file.endsWith('.test.ts') && !/^test\/(lanes|faults)\//.test(file));

describe('what is prepared', () => {
  it.each([
    { file: 'test/api/contacts.test.ts', needs: ['servers'] },
    { file: 'test/unit/states.test.ts', needs: [] },
    { file: 'test/workflows/snoozeTimer.test.ts', needs: ['servers', 'timeSkipping'] },
    { file: 'test/models/pooler.test.ts', needs: ['pooler', 'servers'] },
    { file: 'test/lanes/unit.test.ts', needs: ['browser', 'pooler', 'servers', 'timeSkipping'] },
  ])('for $file is $needs', ({ file, needs }) => {
    expect([...needsOf([file])].sort()).toEqual(needs);
  });

  it('for the topology is its server and the pooler, for pages the browser', () => {
    expect([...needsOf(['test/faults/topology.test.ts'])]).toEqual(
      expect.arrayContaining(['temporalServer', 'pooler']),
    );
    const pages = tests.filter((file) => /openChromium\(/.test(readFileSync(path.join(root, file), 'utf8')));
    expect(pages.filter((file) => !needsOf([file]).has('browser'))).toEqual([]);
  });

  it('is found through files that import each other', () => {
    expect(importsOf('test/api/contacts.test.ts')).toContain('test/support/database.ts');
  });
});

describe('npm test -- --changed', () => {
  const select = (...changed: string[]): readonly string[] => selectTests(changed, tests).files ?? ['all'];

  it('runs all for a service, and for what nobody knows', () => {
    for (const file of ['api/services/resources/tickets/service.ts', 'package.json', 'ops/pooler/start.sh'])
      expect(select('README.md', file)).toEqual(['all']);
  });

  it('runs for a page the tests of pages, for a document those that read it, for a test itself', () => {
    const pages = select('api/doors/dashboard/tickets/board.tsx');
    expect(pages).toEqual(expect.arrayContaining(['test/unit/typedParts.test.ts', 'test/architecture.test.ts']));
    expect(tests.filter((file) => file.startsWith('test/dashboard/') && !pages.includes(file))).toEqual([]);
    expect(pages).not.toContain('test/api/contacts.test.ts');
    const documents = select('docs/operate.md');
    expect(documents).toEqual(expect.arrayContaining(['test/unit/compose.test.ts', 'test/citations.test.ts']));
    expect(documents).not.toContain('test/api/contacts.test.ts');
    const own = select('test/api/contacts.test.ts');
    expect(own).toContain('test/api/contacts.test.ts');
    expect(own).not.toContain('test/api/tickets.test.ts');
    expect(select('test/support/database.ts')).toEqual(
      expect.arrayContaining(['test/api/contacts.test.ts', 'test/api/tickets.test.ts']),
    );
    const sandbox = select('dev/sandbox/page/chat.js');
    expect(sandbox).toEqual(expect.arrayContaining(tests.filter((file) => file.startsWith('dev/sandbox/'))));
    expect(sandbox).not.toContain('test/models/schema.test.ts');
  });

  it('says what it left out and why', () => {
    const { files, lines } = selectTests(['docs/api.md'], tests);
    expect(lines[0]).toBe(`Changed: documents (1): ${files?.length} of ${tests.length} test files run`);
    expect(lines[1]).toMatch(/^Left out: \d+ test files, since nothing changed in services, the sandbox, pages, tests/);
  });
});

describe('what is skipped', () => {
  const excuse: Excuse = { tests: ['test/a.test.ts'], reason: 'It needs a program.', without: [['no-such-program']] };
  const skipped = [{ file: 'test/a.test.ts', name: 'one' }];

  it('is excused where the list says so and the machine lacks what it names', async () => {
    expect(await unexcused(skipped, [excuse], false)).toEqual([]);
  });

  it.each([
    { what: 'is not on the list', list: [], strict: false, says: 'not on the list' },
    {
      what: 'has all that it needs',
      list: [{ ...excuse, without: [['sh', '-c', 'exit 0']] }],
      says: 'has what it needs',
    },
    { what: 'is required', list: [excuse], strict: true, says: 'required here' },
  ])('fails where it $what', async ({ list, strict = false, says }) => {
    expect(await unexcused(skipped, list, strict)).toEqual([expect.stringContaining(says)]);
  });

  it('is on the list in every file that may skip', () => {
    const skips = /\b(itOnSmallDisk|describe(Jar|Python|Skipping|With))\(/;
    const names = readdirSync(path.join(root, 'test/faults')).filter((name) => name.endsWith('.test.ts'));
    const faults = names.map((name) => `test/faults/${name}`);
    const may = [...tests, ...faults].filter((file) => skips.test(readFileSync(path.join(root, file), 'utf8')));
    expect(may).toContain('test/faults/topology.test.ts');
    const listed = readExcuses().flatMap((excuse) => excuse.tests);
    expect(may.filter((file) => !listed.includes(file))).toEqual([]);
  });

  it('names tests that there are, each with its reason', () => {
    for (const { tests: files, reason, without } of readExcuses()) {
      expect(reason).toMatch(/^[A-Z].*\.$/);
      expect(without.length).toBeGreaterThan(0);
      expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    }
  });
});

it('a failure names its file and the command that repeats it, in a lane and by itself', () => {
  const test = { status: 'failed', fullName: '', title: "it's (one)", failureMessages: [] };
  const lane = path.join(root, 'test/lanes/plain1.test.ts');
  const ancestorTitles = ['api/contacts.test.ts', 'create'];
  expect(fileOf(lane, ancestorTitles)).toBe('test/api/contacts.test.ts');
  const command = "npm test -- test/api/contacts -t 'create it'\\''s \\(one\\)$'";
  expect(commandFor(lane, { ...test, ancestorTitles })).toBe(command);
  const alone = path.join(root, 'test/api/contacts.test.ts');
  expect(commandFor(alone, { ...test, ancestorTitles: ['create'] })).toBe(command);
  expect(commandFor(path.join(root, 'test/faults/a.test.ts'), { ...test, ancestorTitles: [] })).toMatch(
    /^npm run test:faults -- test\/faults\/a -t/,
  );
});

it('what takes the processors is counted, with what was started for it, and told with the dearest first', () => {
  const began = costNow();
  const busy = 'for (const end = process.cpuUsage().user + 300_000; process.cpuUsage().user < end;);';
  expect(spawnSync(process.execPath, ['-e', busy]).status).toBe(0);
  const { started } = costSince(began);
  // Elsewhere nothing tells it.
  expect(started > 0.25).toBe(process.platform === 'linux');

  const folder = mkdtempSync(path.join(tmpdir(), 'costs-'));
  const own = { kind: 'file', clock: 9, own: 1 } as const;
  noteCost(folder, { ...own, name: 'cheap', started: 0 });
  noteCost(folder, { ...own, name: 'dear', started: 2 });
  noteCost(folder, { ...own, kind: 'test', name: 'one', started: 0 });
  const told = costTable(folder).match(/seconds by \w+|cheap|dear|one$/gm);
  expect(told).toEqual(['seconds by lane', 'seconds by file', 'dear', 'cheap', 'seconds by test', 'one']);
  rmSync(folder, { recursive: true });
});
