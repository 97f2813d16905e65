'use strict';

const fs = require('fs');
const path = require('path');
const { identityOf, sleep } = require('./processes.cjs');

function holderOf(text) {
  try {
    const holder = JSON.parse(text);
    return identityOf(holder.pid) === holder.identity ? holder : null;
  } catch (error) {
    return null;
  }
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    return '';
  }
}

/** Takes the lock, or gives the text that is in it now. The file appears with its text, never empty. */
function tryTake(file, text) {
  const draft = file + '.' + process.pid;
  fs.writeFileSync(draft, text);
  try {
    fs.linkSync(draft, file);
    return '';
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return read(file) || ' ';
  } finally {
    fs.unlinkSync(draft);
  }
}

/** Removes a lock whose holder is gone. Another waiter may be doing the same: a lock that is not that one any more is put back. */
function breakStale(file, text) {
  const aside = file + '.stale.' + process.pid;
  try {
    fs.renameSync(file, aside);
    if (read(aside) !== text) fs.linkSync(aside, file);
  } catch (error) {
    // Somebody else removed it.
  }
  fs.rmSync(aside, { force: true });
}

/** Runs `work` while holding the lock file, waiting for its holder when there is one. */
async function withLock(file, log, work) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) });
  let told = false;
  for (;;) {
    const theirs = tryTake(file, mine);
    if (!theirs) break;
    const holder = holderOf(theirs);
    if (!holder) {
      breakStale(file, theirs);
      continue;
    }
    if (!told) log('Waiting for another run that prepares this checkout (process ' + holder.pid + ')');
    told = true;
    await sleep(250);
  }
  const release = () => {
    if (read(file) === mine) fs.rmSync(file, { force: true });
  };
  process.on('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

module.exports = { withLock };
