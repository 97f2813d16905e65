import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, draftBeside, sweepDrafts } from '../lib/cache';
import { messageOf, root, UserError, type Log } from '../lib/launcher';
import { onPath, reasonOf, run, windows } from '../lib/processes';

// The last version that `go install` can build: later ones carry a replace directive, which it refuses.
const cli = path.join(root, 'dev', 'temporal', 'cli.json');
const { version, goPackage } = JSON.parse(fs.readFileSync(cli, 'utf8')) as { version: string; goPackage: string };
const downloadLimitMs = 60_000;
const buildLimitMs = 20 * 60_000;

/** What one way of getting a CLI came to; neither: that way was not asked for. */
interface Attempt {
  readonly path?: string;
  readonly failed?: string;
}

/**
 * Returns what is wrong with a file; empty when it is a CLI whose dev server takes the options that we start it with.
 */
async function faultOf(file: string): Promise<string> {
  const help = await run(file, ['server', 'start-dev', '--help'], { limitMs: 20_000 });
  if (help.code !== 0) return `it does not run (${reasonOf(help.output)})`;
  if (!help.output.includes('--sqlite-pragma') || !help.output.includes('--search-attribute')) return 'it is too old';
  return '';
}

async function checked(file: string, name: string): Promise<Attempt> {
  const fault = await faultOf(file);
  return fault ? { failed: `${name}: ${fault}` } : { path: file };
}

async function fromEnvironment(): Promise<Attempt> {
  const file = process.env['TEMPORAL_CLI_PATH'];
  if (!file) return {};
  const name = `TEMPORAL_CLI_PATH=${file}`;
  return fs.existsSync(file) ? checked(path.resolve(file), name) : { failed: `${name}: there is no such file` };
}

async function fromPath(): Promise<Attempt> {
  const file = onPath('temporal');
  return file ? checked(file, file) : { failed: 'no `temporal` on PATH' };
}

async function fromCache(target: string): Promise<Attempt> {
  return fs.existsSync(target) ? checked(target, target) : { failed: `not in the cache (${target})` };
}

/** Lets the SDK download one of its servers into a folder: gives the file, or why there is none. */
export async function downloadBySdk(
  kind: 'dev-server' | 'time-skipping',
  folder: string,
  log: Log,
): Promise<{ readonly found: string; readonly failed: string }> {
  const script = path.join(__dirname, 'download.js');
  const options = { limitMs: downloadLimitMs, log, label: `downloading the ${kind} of Temporal` };
  const { output, timedOut } = await run(process.execPath, [script, kind, folder], options);
  const why = timedOut ? `nothing after ${downloadLimitMs / 1000} s` : reasonOf(output);
  return { found: /^DOWNLOADED (.+)$/m.exec(output)?.[1] ?? '', failed: `download by the SDK: ${why}` };
}

async function byDownload(target: string, log: Log): Promise<Attempt> {
  log('Temporal: downloading the server from temporal.download, about 50 MB (once; half a minute)');
  const draft = draftBeside(target);
  try {
    const { found, failed } = await downloadBySdk('dev-server', draft, log);
    if (!found) return { failed };
    fs.renameSync(found, target);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function byGo(target: string, log: Log): Promise<Attempt> {
  const go = onPath('go');
  if (!go) return { failed: '`go install`: no Go on PATH' };
  log('Temporal: building the server with Go, from proxy.golang.org (once; 3 to 7 minutes)');
  const draft = draftBeside(target);
  try {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' };
    const result = await run(go, ['install', goPackage], {
      env,
      cwd: draft,
      limitMs: buildLimitMs,
      log,
      label: 'building Temporal, of 180 to 420 s',
    });
    const built = path.join(draft, windows ? 'temporal.exe' : 'temporal');
    const name = `\`go install ${goPackage}\``;
    if (result.code !== 0 || !fs.existsSync(built))
      return { failed: `${name}: ${result.timedOut ? 'not done after 20 minutes' : reasonOf(result.output)}` };
    const fault = await faultOf(built);
    if (fault) return { failed: `${name}: ${fault}` };
    // Two runs may have built it at once: whichever moves last puts an equal file in place.
    fs.renameSync(built, target);
    log(`Temporal: built in ${Math.round(result.seconds)} s, kept as ${target}`);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns the path of a Temporal CLI: of TEMPORAL_CLI_PATH, PATH, the per-user cache, the SDK's download, or Go. Every
 * failed attempt is one line; when all fail, one error says what to install.
 */
export async function provideTemporalCli(log: Log): Promise<string> {
  const target = path.join(cacheDir(), 'temporal', version, windows ? 'temporal.exe' : 'temporal');
  sweepDrafts(target);
  const failures: string[] = [];
  const attempts: readonly { usual: boolean; attempt: () => Promise<Attempt> }[] = [
    { usual: false, attempt: fromEnvironment },
    { usual: true, attempt: fromPath },
    { usual: true, attempt: () => fromCache(target) },
    { usual: false, attempt: () => byDownload(target, log) },
    { usual: false, attempt: () => byGo(target, log) },
  ];
  for (const { usual, attempt } of attempts) {
    const result = await attempt().catch((error: unknown): Attempt => ({ failed: messageOf(error) }));
    if (result.path !== undefined) {
      // Nothing is worth a line on the usual way, which ends at a cached or installed CLI.
      if (failures.length > 0 && !usual) log(`Temporal: using ${result.path}`);
      return result.path;
    }
    if (result.failed === undefined) continue;
    failures.push(result.failed);
    if (!usual) log(`Temporal: ${result.failed}`);
  }
  throw new UserError(
    [
      'No Temporal server could be had:',
      ...failures.map((line) => `  - ${line}`),
      'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or name it with ' +
        'TEMPORAL_CLI_PATH,',
      'or install Go 1.24 or newer so that it can be built, or point TEMPORAL_ADDRESS at a running server.',
    ].join('\n'),
  );
}
