import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../support/settings';

let folder: string;
const at = (...names: string[]): string => path.join(folder, ...names);
const script = path.join('dev', 'bootstrap', 'compile.cjs');
const run = (...folders: string[]) =>
  spawnSync(process.execPath, [script, ...folders], { cwd: folder, encoding: 'utf8' });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'compile-'));
  for (const name of ['dev/bootstrap', 'api/inner', 'worker']) mkdirSync(at(name), { recursive: true });
  cpSync(path.join(root, script), at(script));
  cpSync(path.join(root, 'tsconfig.json'), at('tsconfig.json'));
  symlinkSync(path.join(root, 'node_modules'), at('node_modules'));
  writeFileSync(at('api/inner/one.ts'), 'export const one: number = 1;\n');
  writeFileSync(at('worker/two.ts'), "import { one } from '../api/inner/one';\nconsole.log(one + 1);\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('compiles the folders that it is given to dist, with source maps', () => {
  expect(run('api', 'worker')).toMatchObject({ status: 0, stderr: '' });
  expect(execFileSync(process.execPath, ['dist/worker/two.js'], { cwd: folder, encoding: 'utf8' })).toBe('2\n');
  expect(JSON.parse(readFileSync(at('dist/worker/two.js.map'), 'utf8'))).toMatchObject({ version: 3 });
});

it('compiles again what changed, and all when the settings of the compiler did', () => {
  run('api', 'worker');
  const inode = (name: string): number => statSync(at('dist', name)).ino;
  const [one, two] = [inode('api/inner/one.js'), inode('worker/two.js')];
  writeFileSync(at('api/inner/one.ts'), 'export const one: number = 20;\n');
  run('api', 'worker');
  expect(readFileSync(at('dist/api/inner/one.js'), 'utf8')).toContain('exports.one = 20');
  expect(inode('api/inner/one.js')).not.toBe(one);
  expect(inode('worker/two.js')).toBe(two);
  writeFileSync(at('tsconfig.json'), readFileSync(at('tsconfig.json'), 'utf8').replace('es2022', 'es2021'));
  run('api', 'worker');
  expect(inode('worker/two.js')).not.toBe(two);
});

it('says where a source is no TypeScript, and leaves nothing that would pass for its output', () => {
  writeFileSync(at('worker/two.ts'), 'export const = 1;\n');
  const { status, stderr } = run('api', 'worker');
  expect(status).toBe(1);
  expect(stderr).toContain('worker/two.ts');
  expect(existsSync(at('dist/worker/two.js'))).toBe(false);
  // Not believed to be made by these settings: the next run compiles all of it.
  expect(existsSync(at('dist/.compiled-by'))).toBe(false);
});

it('shares many files between threads, and reports the fault of one', () => {
  for (let n = 0; n < 220; n += 1) writeFileSync(at(`api/n${n}.ts`), `export const n: number = ${n};\n`);
  expect(run('api')).toMatchObject({ status: 0, stderr: '' });
  for (const n of [0, 1, 218, 219])
    expect(readFileSync(at(`dist/api/n${n}.js`), 'utf8')).toContain(`exports.n = ${n};`);
  writeFileSync(at('api/n219.ts'), 'export const = 1;\n');
  rmSync(at('dist/.compiled-by'));
  const { status, stderr } = run('api');
  expect(status).toBe(1);
  expect(stderr).toContain('api/n219.ts');
});
