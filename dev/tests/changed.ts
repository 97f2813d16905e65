import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root, UserError } from '../lib/launcher';
import { faultsFolder, importsOf, lanesFolder, listTests, readSource } from './files';

/** Returns what git says, or an error in its words. */
function git(...args: string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new UserError(`git ${args.join(' ')}: ${(stderr || error?.message || '').trim()}`);
  return stdout.split('\n').filter(Boolean);
}

/** A part of the repository whose changes only some tests can notice. */
interface Area {
  readonly name: string;
  readonly has: RegExp;
  /** Says whether a test file can notice that these of its files have changed. */
  notices(test: string, changed: readonly string[]): boolean;
}

const reads = (test: string, text: RegExp): boolean =>
  [...importsOf(test)].some((file) => /^(test|dev\/sandbox\/test)\//.test(file) && text.test(readSource(file)));
const imports = (test: string, module: RegExp): boolean => [...importsOf(test)].some((file) => module.test(file));
/** Test files in no folder read all sources. */
const readsAll = (test: string): boolean => /^test\/[^/]+$/.test(test);

/** In order: the first that has a file is its area. What has none is a service's, which every test may notice. */
const areas: readonly Area[] = [
  {
    name: 'documents',
    has: /\.md$|^(docs|\.github)\/|^LICENSE$/,
    notices: (test) => reads(test, /\.md\b|'docs'|docs\//),
  },
  {
    name: 'the sandbox',
    has: /^dev\/sandbox\//,
    // Everybody else meets it as the platform, by its wire.
    notices: (test) => test.startsWith('dev/sandbox/') || /from '[./]*\/dev\/sandbox\//.test(readSource(test)),
  },
  {
    name: 'pages',
    has: /^api\/doors\/dashboard\//,
    notices: (test) =>
      test.startsWith('test/dashboard/') ||
      imports(test, /^test\/support\/(browser|dashboard)\.ts$|^api\/doors\/dashboard\//),
  },
  {
    name: 'tests',
    has: /^test\//,
    notices: (test, changed) =>
      changed.some((file) =>
        /\.tsx?$/.test(file) ? importsOf(test).has(file) : path.dirname(test) === file.split('/').slice(0, 2).join('/'),
      ),
  },
];

/** What a change asks for. */
interface Selection {
  /** The test files; null: the whole gate. */
  readonly files: readonly string[] | null;
  /** Lines for people: what changed, what runs, what is left out and why. */
  readonly lines: readonly string[];
}

/** Returns the tests that can notice these changes, among the ones given. */
export function selectTests(changed: readonly string[], tests: readonly string[]): Selection {
  const byArea = new Map<Area, string[]>();
  const services: string[] = [];
  for (const file of changed) {
    const area = areas.find(({ has }) => has.test(file));
    if (area) byArea.set(area, [...(byArea.get(area) ?? []), file]);
    else services.push(file);
  }
  const counts = [...[...byArea].map(([{ name }, files]) => `${name} (${files.length})`)];
  if (services.length > 0)
    return {
      files: null,
      lines: [
        `Changed: ${[`services (${services.length}, such as ${services[0]})`, ...counts].join(', ')}: the whole runs`,
      ],
    };
  const files = tests.filter((test) => readsAll(test) || [...byArea].some(([area, its]) => area.notices(test, its)));
  const others = ['services', ...areas.filter((area) => !byArea.has(area)).map(({ name }) => name)].join(', ');
  return {
    files,
    lines: [
      `Changed: ${counts.join(', ') || 'nothing'}: ${files.length} of ${tests.length} test files run`,
      `Left out: ${tests.length - files.length} test files, since nothing changed in ${others}` +
        (byArea.size > 0 ? ', and which cannot notice what did' : '') +
        '; faults and simulation, which run with the whole',
    ],
  };
}

/** Returns what runs for the changes of the working folder since a commit. */
export function testsOfChanges(since: string): Selection {
  const changed = [...git('diff', '--name-only', since, '--'), ...git('ls-files', '--others', '--exclude-standard')];
  const tests = listTests([]).filter((file) => !file.startsWith(lanesFolder) && !file.startsWith(faultsFolder));
  return selectTests([...new Set(changed)], tests);
}
