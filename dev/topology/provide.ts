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
/** PgBouncer and the libraries that a small machine may lack. */
const debianPackages = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'];
const fetchLimitMs = 120_000;

/** A program of the topology, by the folder that holds it, or why there is none. */
type Part = { readonly path: string } | { readonly skipped: string };

/** What the topology needs beside what the product installs. */
export interface TopologyParts {
  /** The folder of `temporal-server` and `temporal-sql-tool`. */
  readonly temporal: Part;
  /** The folder of `pgbouncer`. */
  readonly pooler: Part;
}

/** Returns the programs; what takes minutes to build is built only when `isRequired`. */
export async function provideTopology(log: Log, isRequired: boolean): Promise<TopologyParts> {
  return { temporal: await provideTemporalServer(log, isRequired), pooler: await providePooler(log) };
}

async function provideTemporalServer(log: Log, isRequired: boolean): Promise<Part> {
  const names = Object.values(goPrograms);
  const found = names.map(onPath);
  if (found.every((file) => file && path.dirname(file) === path.dirname(found[0] ?? '')))
    return { path: path.dirname(found[0] ?? '') };
  const target = path.join(cacheDir(), 'temporalServer', serverVersion);
  sweepDrafts(target);
  if (names.every((name) => fs.existsSync(path.join(target, name)))) return { path: target };
  if (!isRequired)
    return { skipped: `no Temporal server on PostgreSQL in the cache: \`npm run topology\` builds one with Go` };
  const go = onPath('go');
  if (!go) return { skipped: `no Temporal server on PostgreSQL: neither ${names.join(' and ')} nor \`go\` on PATH` };
  log(`Temporal on PostgreSQL: building server ${serverVersion} with Go (once; 5 to 15 minutes)`);
  const draft = draftBeside(target);
  try {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' };
    const args = ['install', ...goPackages.map((name) => `${name}@v${serverVersion}`)];
    const label = 'building the Temporal server';
    const result = await run(go, args, { env, cwd: draft, limitMs: buildLimitMs, log, label });
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

/** Returns PgBouncer: of PATH, the per-user cache, or Debian's packages, which need no root to be unpacked. */
async function providePooler(log: Log): Promise<Part> {
  const found = onPath('pgbouncer') || (fs.existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : '');
  if (found) return { path: path.dirname(found) };
  const target = path.join(cacheDir(), 'pgbouncer');
  sweepDrafts(target);
  if (fs.existsSync(path.join(target, 'pgbouncer'))) return { path: target };
  const [apt, dpkg] = [onPath('apt-get'), onPath('dpkg')];
  if (!apt || !dpkg) return { skipped: 'no `pgbouncer` on PATH, and no Debian packages on this system' };
  const draft = draftBeside(target);
  try {
    let fetched = await run(apt, ['download', ...debianPackages], { cwd: draft, limitMs: fetchLimitMs });
    // A fresh image has no list of packages yet.
    if (fetched.code !== 0) {
      await run(apt, ['update'], { limitMs: fetchLimitMs });
      fetched = await run(apt, ['download', ...debianPackages], { cwd: draft, limitMs: fetchLimitMs });
    }
    if (fetched.code !== 0) return { skipped: `\`apt-get download pgbouncer\`: ${reasonOf(fetched.output)}` };
    for (const name of fs.readdirSync(draft).filter((file) => file.endsWith('.deb')))
      await run(dpkg, ['-x', path.join(draft, name), path.join(draft, 'root')], { limitMs: fetchLimitMs });
    const libraries = fs.readdirSync(path.join(draft, 'root', 'usr', 'lib'));
    const folders = libraries.map((name) => `$here/root/usr/lib/${name}`).join(':');
    const script =
      '#!/bin/sh\nhere=$(dirname "$0")\n' + `LD_LIBRARY_PATH="${folders}" exec "$here/root/usr/sbin/pgbouncer" "$@"\n`;
    fs.writeFileSync(path.join(draft, 'pgbouncer'), script, { mode: 0o755 });
    const works = await run(path.join(draft, 'pgbouncer'), ['--version'], { limitMs: fetchLimitMs });
    if (works.code !== 0) return { skipped: `PgBouncer of Debian does not run here: ${reasonOf(works.output)}` };
    publish(draft, target);
    log(`PgBouncer: unpacked from Debian's package, kept in ${target}`);
    return { path: target };
  } catch (error) {
    return { skipped: `PgBouncer of Debian: ${messageOf(error)}` };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}
