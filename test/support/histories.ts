import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { version as packageVersion } from '../../api/core/http/documents';
import { root } from './settings';

const { History } = temporal.api.history.v1;
type History = temporal.api.history.v1.IHistory;

/**
 * Returns a history as JSON text: bytes in base64, enumerations by name, long numbers as text. The SDK's own converter
 * needs one single copy of protobufjs, which an installation does not always have.
 */
export function historyToText(history: History): string {
  return JSON.stringify(History.toObject(History.fromObject(history), { bytes: String, longs: String, enums: String }));
}

/** Returns the other way round. */
export function historyFromText(text: string): History {
  return History.fromObject(JSON.parse(text) as Record<string, unknown>);
}

const recorded = path.join(root, 'test', 'workflows', 'histories');
const sealName = 'RELEASED';
/** They are data that nobody reads line by line: compressed they are a twentieth. */
const ending = '.json.gz';

const fileOf = (folder: string, name: string): string => path.join(folder, `${name}${ending}`);

/** Reads a recorded history, as JSON text. */
export const readHistory = (folder: string, name: string): string =>
  gunzipSync(readFileSync(fileOf(folder, name))).toString();

/** Writes one. */
export function writeHistory(folder: string, name: string, text: string): void {
  writeFileSync(fileOf(folder, name), gzipSync(text, { level: 9 }));
}

/** What a version's workflows recorded: one file per path. */
interface RecordedHistories {
  readonly version: string;
  readonly folder: string;
  /** Names of the files, without `.json.gz`. */
  readonly names: readonly string[];
  /** Whether the version was released: its files stay as they are. */
  readonly released: boolean;
}

/** Returns the recorded histories of a version; none yet: no names. */
export function recordedHistories(version = packageVersion): RecordedHistories {
  const folder = path.join(recorded, version);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return {
    version,
    folder,
    names: files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length)),
    released: files.includes(sealName),
  };
}

/** Returns those of every version. */
export function everyRecordedHistory(): RecordedHistories[] {
  return readdirSync(recorded).map((version) => recordedHistories(version));
}

/** Returns the text that seals the files of a version: each with its digest. */
export function sealOf({ folder, names }: RecordedHistories): string {
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(fileOf(folder, name)))
      .digest('hex');
  return [...names]
    .sort()
    .map((name) => `${digest(name)}  ${name}${ending}\n`)
    .join('');
}

/** Seals the histories of a version that is being released. */
export function seal(histories: RecordedHistories): void {
  writeFileSync(path.join(histories.folder, sealName), sealOf(histories));
}

/** Returns what was sealed at the release. */
export function readSeal({ folder }: RecordedHistories): string {
  return readFileSync(path.join(folder, sealName), 'utf8');
}
