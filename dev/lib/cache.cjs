'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');

/** The per-user folder for what is fetched or built once, such as the Temporal server; MSGDESK_CACHE_DIR moves it. */
function cacheDir() {
  if (process.env.MSGDESK_CACHE_DIR) return path.resolve(process.env.MSGDESK_CACHE_DIR);
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'msgdesk');
}

/** A new folder beside `target`, so that what is made in it can be moved there in one step. */
function draftBeside(target) {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  return fs.mkdtempSync(path.join(path.dirname(target), '.draft-'));
}

/** Removes drafts that a process which was killed left beside `target`. */
function sweepDrafts(target) {
  let names = [];
  try {
    names = fs.readdirSync(path.dirname(target)).filter((name) => name.startsWith('.draft-'));
  } catch (error) {
    return;
  }
  for (const name of names) {
    const draft = path.join(path.dirname(target), name);
    // Another run may be at work in a younger one.
    if (Date.now() - fs.statSync(draft).mtimeMs > 6 * 3600 * 1000) fs.rmSync(draft, { recursive: true, force: true });
  }
}

module.exports = { cacheDir, draftBeside, sweepDrafts };
