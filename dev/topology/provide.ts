import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, draftBeside, publish, sweepDrafts } from '../lib/cache';
import { messageOf, type Log } from '../lib/launcher';
import { onPath, reasonOf, run } from '../lib/processes';

/** The version that docker-compose.yml runs. */
const serverVersion = '1.29.1';
const goPackages = ['go.temporal.io/server/cmd/server', 'go.temporal.io/server/cmd/tools/sql'];
const goPrograms = { server: 'temporal-server', sql: 'temporal-sql-tool' } as const;
const buildLimitMs = 40 * 60_000;
/** A program of Debian's packages, and the libraries that a small machine may lack. */
interface DebianProgram {
  readonly name: string;
  readonly packages: readonly string[];
  /** Where it lies in them, and in a system that has it. */
  readonly file: string;
}

const debian = {
  pooler: { name: 'pgbouncer', packages: ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'], file: 'usr/sbin/pgbouncer' },
  prometheus: { name: 'prometheus', packages: ['prometheus'], file: 'usr/bin/prometheus' },
} as const satisfies Record<string, DebianProgram>;
const fetchLimitMs = 120_000;

/** A program that the topology needs beside what the product installs, by its folder, or why there is none. */
type Part = { readonly path: string } | { readonly skipped: string };

/**
 * Returns the folder of `temporal-server` and `temporal-sql-tool`: of PATH, the per-user cache, or built by Go;
 * `isBeside`: with the processor time that others leave.
 */
export async function provideTemporalServer(log: Log, { isBeside = false } = {}): Promise<Part> {
  const names = Object.values(goPrograms);
  const found = names.map(onPath);
  if (found.every((file) => file && path.dirname(file) === path.dirname(found[0] ?? '')))
    return { path: path.dirname(found[0] ?? '') };
  const target = path.join(cacheDir(), 'temporalServer', serverVersion);
  sweepDrafts(target);
  if (names.every((name) => fs.existsSync(path.join(target, name)))) return { path: target };
  const go = onPath('go');
  if (!go) return { skipped: `no Temporal server on PostgreSQL: neither ${names.join(' and ')} nor \`go\` on PATH` };
  log(`Temporal on PostgreSQL: building server ${serverVersion} with Go (once; 3 to 15 minutes)`);
  const draft = draftBeside(target);
  try {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' };
    const args = ['install', ...goPackages.map((name) => `${name}@v${serverVersion}`)];
    const label = 'building the Temporal server';
    const nice = isBeside ? onPath('nice') : '';
    const [program, ...words] = nice ? [nice, '-n', '19', go, ...args] : [go, ...args];
    const result = await run(program ?? go, words, { env, cwd: draft, limitMs: buildLimitMs, log, label });
    if (result.code !== 0)
      return { skipped: `\`go install\`: ${result.timedOut ? 'not done after 40 minutes' : reasonOf(result.output)}` };
    for (const [built, name] of Object.entries(goPrograms))
      fs.renameSync(path.join(draft, built), path.join(draft, name));
    publish(draft, target);
    log(`Temporal on PostgreSQL: built in ${Math.round(result.seconds)} s, kept in ${target}`);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns the folder of a program: of PATH, the per-user cache, or Debian's packages, which need no root to be
 * unpacked.
 */
export async function provideDebian(which: keyof typeof debian, log: Log): Promise<Part> {
  const { name, packages, file }: DebianProgram = debian[which];
  const found = onPath(name) || (fs.existsSync(`/${file}`) ? `/${file}` : '');
  if (found) return { path: path.dirname(found) };
  const target = path.join(cacheDir(), name);
  sweepDrafts(target);
  if (fs.existsSync(path.join(target, name))) return { path: target };
  const [apt, dpkg] = [onPath('apt-get'), onPath('dpkg')];
  if (!apt || !dpkg) return { skipped: `no \`${name}\` on PATH, and no Debian packages on this system` };
  const draft = draftBeside(target);
  try {
    let fetched = await run(apt, ['download', ...packages], { cwd: draft, limitMs: fetchLimitMs });
    // A fresh image has no list of packages yet.
    if (fetched.code !== 0) {
      await run(apt, ['update'], { limitMs: fetchLimitMs });
      fetched = await run(apt, ['download', ...packages], { cwd: draft, limitMs: fetchLimitMs });
    }
    if (fetched.code !== 0) return { skipped: `\`apt-get download ${name}\`: ${reasonOf(fetched.output)}` };
    for (const archive of fs.readdirSync(draft).filter((each) => each.endsWith('.deb')))
      await run(dpkg, ['-x', path.join(draft, archive), path.join(draft, 'root')], { limitMs: fetchLimitMs });
    const lib = path.join(draft, 'root', 'usr', 'lib');
    const libraries = fs.existsSync(lib) ? fs.readdirSync(lib) : [];
    const folders = libraries.map((each) => `$here/root/usr/lib/${each}`).join(':');
    const script =
      '#!/bin/sh\nhere=$(dirname "$0")\n' + `LD_LIBRARY_PATH="${folders}" exec "$here/root/${file}" "$@"\n`;
    fs.writeFileSync(path.join(draft, name), script, { mode: 0o755 });
    const works = await run(path.join(draft, name), ['--version'], { limitMs: fetchLimitMs });
    if (works.code !== 0) return { skipped: `${name} of Debian does not run here: ${reasonOf(works.output)}` };
    publish(draft, target);
    log(`${name}: unpacked from Debian's package, kept in ${target}`);
    return { path: target };
  } catch (error) {
    return { skipped: `${name} of Debian: ${messageOf(error)}` };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}
