'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const crypto = require('crypto');
const { freePorts } = require('./ports.cjs');
const { identityOf } = require('./processes.cjs');
const { readJson } = require('./settings.cjs');
const { provideTemporalCli } = require('../temporal/provide.cjs');
const { startTemporal } = require('../temporal/start.cjs');
const { startPostgres } = require('../postgres/start.cjs');

const ownerFile = 'owner.json';

/** Removes a throwaway folder, wherever its parts lie. */
function removeFolder(folder) {
  // Where root's temporary folder is closed to PostgreSQL's user, the data lies elsewhere.
  const elsewhere = path.join(folder, 'postgres', 'location');
  if (fs.existsSync(elsewhere)) fs.rmSync(fs.readFileSync(elsewhere, 'utf8').trim(), { recursive: true, force: true });
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what runs that were killed could not: a folder with an owner that is gone. */
function sweepFolders() {
  for (const name of fs.readdirSync(os.tmpdir())) {
    if (!name.startsWith('msgdesk-')) continue;
    const folder = path.join(os.tmpdir(), name);
    // The temporary folder is everybody's: only what is ours is believed and removed.
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!stat || !stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) continue;
    const owner = readJson(path.join(folder, ownerFile));
    if (!owner || identityOf(owner.pid) === owner.identity) continue;
    try {
      removeFolder(folder);
    } catch (error) {
      // Another run removes it at this moment.
    }
  }
}

/**
 * A throwaway PostgreSQL and Temporal on free ports, with all their data in one temporary folder. `options`: log,
 * durable (crash safe like `npm start`, for honest measurements; tests do without). Gives `{folder, databaseUrl,
 * temporalAddress, temporalCli, postgresPid, temporalPid, close}`; `close` stops both and removes the folder unless KEEP=1.
 */
async function startThrowawayStack(options) {
  const log = options.log;
  const temporalCli = await provideTemporalCli({ log });
  sweepFolders();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'msgdesk-'));
  // PostgreSQL's user has to be able to pass through.
  fs.chmodSync(folder, 0o711);
  // A kept folder has no owner, so that nobody sweeps it.
  if (process.env.KEEP !== '1')
    fs.writeFileSync(
      path.join(folder, ownerFile),
      JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) }),
    );
  const children = [];
  let closing = null;

  function discard() {
    if (process.env.KEEP !== '1') removeFolder(folder);
  }
  // Also when the process ends by an error that nobody caught.
  process.on('exit', discard);

  function close() {
    if (!closing) {
      closing = (async () => {
        for (const child of children.reverse()) await child.stop(15000);
        discard();
        process.removeListener('exit', discard);
        if (process.env.KEEP === '1') log('Kept ' + folder + ' (KEEP=1)');
      })();
    }
    return closing;
  }

  function logTo(name) {
    const file = fs.createWriteStream(path.join(folder, name + '.log'));
    file.on('error', () => undefined);
    return (line) => file.write(line + '\n');
  }

  try {
    const ports = await freePorts(2);
    const password = crypto.randomBytes(12).toString('hex');
    const postgres = startPostgres({
      dir: path.join(folder, 'postgres'),
      port: ports[0],
      password,
      database: 'postgres',
      durable: options.durable === true,
      onLine: logTo('postgres'),
    });
    children.push(postgres);
    const temporal = startTemporal({
      cli: temporalCli,
      port: ports[1],
      dbFile: path.join(folder, 'temporal.db'),
      synchronous: options.durable ? 'NORMAL' : 'OFF',
      onLine: logTo('temporal'),
    });
    children.push(temporal);
    const ready = await Promise.all([postgres.waitReady(90000), temporal.waitReady(60000)]);
    log('PostgreSQL on port ' + ports[0] + ', Temporal on port ' + ports[1] + ', data in ' + folder);
    return {
      folder,
      databaseUrl: ready[0].url,
      temporalAddress: ready[1].address,
      temporalCli,
      postgresPid: ready[0].pid,
      temporalPid: ready[1].pid,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

module.exports = { startThrowawayStack };
