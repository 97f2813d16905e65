'use strict';

const fs = require('fs');
const path = require('path');
const { identityOf, signal, until } = require('./processes.cjs');
const { readJson, writePrivate } = require('./settings.cjs');
const { UserError } = require('./log.cjs');

function fileIn(dataDir) {
  return path.join(dataDir, 'running.json');
}

/** What the `npm start` that runs on this data folder wrote about itself, or null when none does. */
function readRunning(dataDir) {
  const found = readJson(fileIn(dataDir));
  return found && found.identity && identityOf(found.pid) === found.identity ? found : null;
}

/**
 * Refuses when another launcher runs on this data folder. One that was killed may have left children, which
 * stop by themselves when they notice; those that did not are ended here, by number and start time.
 */
async function clearPrevious(dataDir, log) {
  const running = readRunning(dataDir);
  if (running)
    throw new UserError(
      'Msgdesk already runs on ' +
        dataDir +
        ' (process ' +
        running.pid +
        '). Stop it first, or choose another folder with DATA_DIR=<folder> and other ports.',
    );
  const before = readJson(fileIn(dataDir));
  const left = ((before && before.children) || []).filter(
    (child) => child.identity && identityOf(child.pid) === child.identity,
  );
  if (left.length > 0) {
    log(
      'The last run did not stop in order; ending what it left: ' +
        left.map((child) => child.name + ' (' + child.pid + ')').join(', '),
    );
    const gone = (child) => identityOf(child.pid) !== child.identity;
    for (const child of left) {
      try {
        process.kill(child.pid, child.name === 'postgres server' ? 'SIGINT' : 'SIGTERM');
      } catch (error) {
        // It ended in this moment.
      }
    }
    await until(() => left.every(gone), 15000);
    for (const child of left) if (!gone(child)) signal(child.pid, 'SIGKILL');
    await until(() => left.every(gone), 5000);
  }
  fs.rmSync(fileIn(dataDir), { force: true });
  fs.rmSync(path.join(dataDir, 'dev.json'), { force: true });
}

/** Writes down this launcher, its children and what `npm run admin` needs beside it. */
function writeRunning(dataDir, values) {
  writePrivate(fileIn(dataDir), Object.assign({ pid: process.pid, identity: identityOf(process.pid) }, values));
}

function removeRunning(dataDir) {
  const found = readJson(fileIn(dataDir));
  if (found && found.pid === process.pid) fs.rmSync(fileIn(dataDir), { force: true });
}

module.exports = { readRunning, clearPrevious, writeRunning, removeRunning };
