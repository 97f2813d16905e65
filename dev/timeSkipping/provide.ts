import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir, draftBeside, publish, sweepDrafts } from '../lib/cache';
import { startChild } from '../lib/children';
import { messageOf, root, type Log } from '../lib/launcher';
import { freePorts } from '../lib/ports';
import { onPath, reasonOf, run, until, windows } from '../lib/processes';
import { downloadBySdk } from '../temporal/provide';

const pom = path.join(root, 'dev', 'timeSkipping', 'pom.xml');
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const mainClass = 'io.temporal.testserver.TestServer';
const mavenLimitMs = 5 * 60_000;

/** A time-skipping server that the SDK can start (`existing-path`), or why there is none. */
type SkippingServer = { readonly path: string } | { readonly skipped: string };

/** Where the server is kept. */
interface Target {
  readonly folder: string;
  readonly file: string;
}

type Attempt = { readonly path: string } | { readonly failed: string };

function versionInPom(): string {
  const text = fs.readFileSync(pom, 'utf8');
  return /<artifactId>temporal-test-server<\/artifactId>\s*<version>([^<]+)</.exec(text)?.[1] ?? '';
}

function javaPath(): string {
  const folder = process.env['JAVA_HOME'];
  const home = folder ? path.join(folder, 'bin', 'java') : '';
  return home && fs.existsSync(home) ? home : onPath('java');
}

function quoted(text: string): string {
  return "'" + text.replace(/'/g, "'\\''") + "'";
}

/** Returns whether something accepts connections on the port. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/**
 * Starts the executable on a free port and stops it again; returns an empty text when that worked, else what it said.
 */
async function faultOf(file: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const [port = 0] = await freePorts(1);
  const server = startChild({
    name: 'test server',
    command: file,
    args: [String(port)],
    env: { ...process.env, ...env },
  });
  const up = await until(async () => !server.running || (await answers(port)), 30_000, 100);
  const fault = up && server.running ? '' : reasonOf(server.tail().join('\n'));
  if (!fault) await sleep(200);
  await server.stop(20_000);
  return fault;
}

async function byDownload(target: Target, log: Log): Promise<Attempt> {
  if (process.platform === 'linux' && process.arch === 'arm64')
    return { failed: 'download by the SDK: there is none for linux-arm64' };
  const draft = draftBeside(target.folder);
  try {
    const { found, failed } = await downloadBySdk('time-skipping', draft, log);
    if (!found) return { failed };
    const file = path.join(draft, path.basename(target.file));
    fs.renameSync(found, file);
    publish(draft, target.folder);
    return { path: target.file };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function byMaven(target: Target, log: Log): Promise<Attempt> {
  if (windows) return { failed: 'Java and Maven: this way is for Linux and macOS' };
  const java = javaPath();
  const maven = onPath('mvn');
  if (!java || !maven) return { failed: 'Java and Maven: ' + (!java ? 'no `java`' : 'no `mvn`') + ' on PATH' };
  const draft = draftBeside(target.folder);
  try {
    const jars = path.join(draft, 'jars');
    const result = await run(
      maven,
      ['-B', '-f', pom, copyDependencies, '-DincludeScope=runtime', '-DoutputDirectory=' + jars],
      { cwd: draft, limitMs: mavenLimitMs, log, label: 'fetching the Java test server' },
    );
    if (result.code !== 0)
      return { failed: 'Maven: ' + (result.timedOut ? 'not done after 5 minutes' : reasonOf(result.output)) };
    const names = fs
      .readdirSync(jars)
      .filter((name) => name.endsWith('.jar'))
      .sort();
    // The SDK waits only 5 s for the server: a class archive, the quick compiler and the plain collector start it in
    // about one.
    const script =
      '#!/bin/sh\n' +
      '# The Java test server as one executable: the SDK calls it with the port and ends it with SIGKILL, ' +
      'hence exec.\n' +
      'jars=$(dirname "$0")/jars\n' +
      'exec ' +
      quoted(java) +
      ' $MSGDESK_JAVA_OPTIONS -Xlog:disable -Xshare:auto -XX:SharedArchiveFile="$jars/classes.jsa"' +
      ' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m \\\n' +
      '  -cp "' +
      names.map((name) => '$jars/' + name).join(':') +
      '" ' +
      mainClass +
      ' "$@"\n';
    fs.writeFileSync(path.join(draft, path.basename(target.file)), script, { mode: 0o755 });
    publish(draft, target.folder);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  const fault = await faultOf(target.file, { MSGDESK_JAVA_OPTIONS: '' });
  if (fault) {
    fs.rmSync(target.folder, { recursive: true, force: true });
    return { failed: 'the Java test server does not start: ' + fault };
  }
  await archiveClasses(target, java);
  return { path: target.file };
}

/** Writes the class archive. Where Java cannot (before 13), the server only starts slower. */
async function archiveClasses(target: Target, java: string): Promise<void> {
  const [port = 0] = await freePorts(1);
  const jars = path.join(target.folder, 'jars');
  const names = fs
    .readdirSync(jars)
    .filter((name) => name.endsWith('.jar'))
    .sort();
  const draft = path.join(jars, 'classes.jsa.draft');
  const args = [
    '-Xlog:disable',
    '-XX:ArchiveClassesAtExit=' + draft,
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-cp',
    names.map((name) => path.join(jars, name)).join(':'),
    mainClass,
    String(port),
  ];
  const server = startChild({ name: 'test server', command: java, args, env: process.env });
  await until(async () => !server.running || (await answers(port)), 30_000, 100);
  await server.stop(60_000);
  if (fs.existsSync(draft)) fs.renameSync(draft, path.join(jars, 'classes.jsa'));
}

/**
 * Returns a time-skipping test server: of the per-user cache, the SDK's download, or the Java server from Maven
 * Central.
 */
export async function provideTimeSkippingServer(log: Log): Promise<SkippingServer> {
  const folder = path.join(cacheDir(), 'timeSkipping', versionInPom());
  const target = { folder, file: path.join(folder, 'temporal-test-server') + (windows ? '.exe' : '') };
  sweepDrafts(folder);
  if (fs.existsSync(target.file)) {
    const fault = await faultOf(target.file);
    if (!fault) return { path: target.file };
    log('Time skipping: the cached server does not start (' + fault + '); fetching it again');
  }
  fs.rmSync(folder, { recursive: true, force: true });
  log('Time skipping: fetching the test server (once)');
  const failures: string[] = [];
  for (const attempt of [byDownload, byMaven]) {
    const result = await attempt(target, log).catch((error: unknown): Attempt => ({ failed: messageOf(error) }));
    if ('path' in result) {
      log('Time skipping: using ' + result.path);
      return result;
    }
    failures.push(result.failed);
    log('Time skipping: ' + result.failed);
  }
  return { skipped: 'no time-skipping server: ' + failures.join('; ') };
}
