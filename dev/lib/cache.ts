import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const abandonedAfterMs = 6 * 3_600_000;

/**
 * Returns the per-user folder for what is fetched or built once, such as the Temporal server; MSGDESK_CACHE_DIR moves
 * it.
 */
export function cacheDir(): string {
  if (process.env['MSGDESK_CACHE_DIR']) return path.resolve(process.env['MSGDESK_CACHE_DIR']);
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'msgdesk');
}

/** Makes a new folder beside `target`, so that what is made in it can be moved there in one step. */
export function draftBeside(target: string): string {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  return fs.mkdtempSync(path.join(path.dirname(target), '.draft-'));
}

/** Removes drafts that a process which was killed left beside `target`. */
export function sweepDrafts(target: string): void {
  let names: string[];
  try {
    names = fs.readdirSync(path.dirname(target)).filter((name) => name.startsWith('.draft-'));
  } catch {
    return;
  }
  for (const name of names) {
    const draft = path.join(path.dirname(target), name);
    // Another run may be at work in a younger one.
    if (Date.now() - fs.statSync(draft).mtimeMs > abandonedAfterMs) fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves a finished draft to its place; when another run was first, its equal one stays. */
export function publish(draft: string, target: string): void {
  try {
    fs.renameSync(draft, target);
  } catch (error) {
    if (!fs.existsSync(target)) throw error;
  }
}
