import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from './launcher';

/** Makes a folder and those above it. Node's own recursive way never ends where a file system refuses with ENOENT. */
export function makeFolder(folder: string, mode: number): void {
  if (fs.existsSync(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder), 0o755);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Writes JSON that only its owner may read, whole or not at all. */
export function writePrivate(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** Returns the JSON in a file, or null when there is none that can be read. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
  } catch {
    return null;
  }
}
