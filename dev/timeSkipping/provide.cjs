'use strict';

const fs = require('fs');
const path = require('path');
const { run, onPath, reasonOf, windows, startChild, until, sleep } = require('../lib/processes.cjs');
const { cacheDir, draftBeside, sweepDrafts } = require('../lib/cache.cjs');
const { freePorts } = require('../lib/ports.cjs');

const pom = path.join(__dirname, 'pom.xml');
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const mainClass = 'io.temporal.testserver.TestServer';
const downloadLimitMs = 60000;

function versionInPom() {
  return /<artifactId>temporal-test-server<\/artifactId>\s*<version>([^<]+)</.exec(fs.readFileSync(pom, 'utf8'))[1];
}

function javaPath() {
  const home = process.env.JAVA_HOME ? path.join(process.env.JAVA_HOME, 'bin', 'java') : '';
  return home && fs.existsSync(home) ? home : onPath('java');
}

function quoted(text) {
  return "'" + text.replace(/'/g, "'\\''") + "'";
}

/** True when something accepts connections on the port. */
function answers(port) {
  return new Promise((resolve) => {
    const socket = require('net').connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Starts the executable on a free port and stops it again: empty when that worked, else what it said. */
async function faultOf(file, env) {
  const ports = await freePorts(1);
  const server = startChild({
    name: 'test server',
    command: file,
    args: [String(ports[0])],
    env: Object.assign({}, process.env, env),
  });
  const up = await until(async () => !server.running || (await answers(ports[0])), 30000, 100);
  const fault = up && server.running ? '' : reasonOf(server.tail().join('\n'));
  if (!fault) await sleep(200);
  await server.stop(20000);
  return fault;
}

async function byDownload(target, log) {
  if (process.platform === 'linux' && process.arch === 'arm64')
    return { failed: 'download by the SDK: there is none for linux-arm64' };
  const draft = draftBeside(target.folder);
  try {
    const result = await run(
      process.execPath,
      [path.join(__dirname, '..', 'temporal', 'download.cjs'), 'time-skipping', draft],
      { limitMs: downloadLimitMs, log, label: 'downloading' },
    );
    const found = /^DOWNLOADED (.+)$/m.exec(result.output);
    if (!found)
      return {
        failed:
          'download by the SDK: ' +
          (result.timedOut ? 'nothing after ' + downloadLimitMs / 1000 + ' s' : reasonOf(result.output)),
      };
    const file = path.join(draft, path.basename(target.file));
    fs.renameSync(found[1], file);
    publish(draft, target);
    return { path: target.file };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves a finished folder into the cache; when another run was first, its equal one stays. */
function publish(draft, target) {
  try {
    fs.renameSync(draft, target.folder);
  } catch (error) {
    if (!fs.existsSync(target.file)) throw error;
  }
}

async function byMaven(target, log) {
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
      { cwd: draft, limitMs: 5 * 60000, log, label: 'fetching the Java test server' },
    );
    if (result.code !== 0)
      return { failed: 'Maven: ' + (result.timedOut ? 'not done after 5 minutes' : reasonOf(result.output)) };
    const names = fs
      .readdirSync(jars)
      .filter((name) => name.endsWith('.jar'))
      .sort();
    // The SDK waits only 5 s for the server: a class archive, the quick compiler and the plain collector start it in about one.
    const script =
      '#!/bin/sh\n' +
      '# The Java test server as one executable: the SDK calls it with the port and ends it with SIGKILL, hence exec.\n' +
      'jars=$(dirname "$0")/jars\n' +
      'exec ' +
      quoted(java) +
      ' $MSGDESK_JAVA_OPTIONS -Xlog:disable -Xshare:auto -XX:SharedArchiveFile="$jars/classes.jsa" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m \\\n' +
      '  -cp "' +
      names.map((name) => '$jars/' + name).join(':') +
      '" ' +
      mainClass +
      ' "$@"\n';
    fs.writeFileSync(path.join(draft, path.basename(target.file)), script, { mode: 0o755 });
    publish(draft, target);
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
async function archiveClasses(target, java) {
  const ports = await freePorts(1);
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
    String(ports[0]),
  ];
  const server = startChild({ name: 'test server', command: java, args, env: process.env });
  await until(async () => !server.running || (await answers(ports[0])), 30000, 100);
  await server.stop(60000);
  if (fs.existsSync(draft)) fs.renameSync(draft, path.join(jars, 'classes.jsa'));
}

/**
 * Gives `{path}` of a time-skipping test server that the SDK can start (`existing-path`), or `{skipped: reason}`:
 * the per-user cache, the SDK's download, the Java server from Maven Central.
 */
async function provideTimeSkippingServer(options) {
  const log = options.log;
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
  const failures = [];
  for (const attempt of [byDownload, byMaven]) {
    let result;
    try {
      result = await attempt(target, log);
    } catch (error) {
      result = { failed: error.message };
    }
    if (result.path) {
      log('Time skipping: using ' + result.path);
      return result;
    }
    failures.push(result.failed);
    log('Time skipping: ' + result.failed);
  }
  return { skipped: 'no time-skipping server: ' + failures.join('; ') };
}

module.exports = { provideTimeSkippingServer };
