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

/** What a version's workflows recorded: an archive per workflow, of `{ path: history }`. */
interface RecordedHistories {
  readonly version: string;
  readonly folder: string;
  /** Each history as JSON text, by its name `workflow.path`. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether the version was released: its archives stay as they are. */
  readonly released: boolean;
}

const archivesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort();

const readArchive = (file: string): [string, unknown][] =>
  Object.entries(JSON.parse(gunzipSync(readFileSync(file)).toString()) as object);

/** Returns the recorded histories of a version; none yet: no texts. */
export function recordedHistories(version = packageVersion): RecordedHistories {
  const folder = path.join(recorded, version);
  const archives = existsSync(folder) ? archivesIn(folder) : [];
  const texts = archives.flatMap((file) =>
    readArchive(path.join(folder, file)).map(
      ([way, history]) => [`${file.slice(0, -ending.length)}.${way}`, JSON.stringify(history)] as const,
    ),
  );
  return { version, folder, texts: new Map(texts), released: existsSync(path.join(folder, sealName)) };
}

/** Returns those of every version. */
export function everyRecordedHistory(): RecordedHistories[] {
  return readdirSync(recorded).map((version) => recordedHistories(version));
}

/** Writes a history into its workflow's archive, whose other paths stay; sorted: the same content is the same bytes. */
export function writeHistory(folder: string, name: string, text: string): void {
  const [workflow = '', way = ''] = name.split('.');
  const file = path.join(folder, `${workflow}${ending}`);
  const others = existsSync(file) ? readArchive(file).filter(([other]) => other !== way) : [];
  const histories = [...others, [way, JSON.parse(text)] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, gzipSync(JSON.stringify(Object.fromEntries(histories)), { level: 9 }));
}

/** Returns the text that seals the archives of a version: each with its digest. */
export function sealOf(folder: string): string {
  const digest = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex');
  return archivesIn(folder)
    .map((file) => `${digest(file)}  ${file}\n`)
    .join('');
}

/** Seals the histories of a version that is being released. */
export function seal(folder: string): void {
  writeFileSync(path.join(folder, sealName), sealOf(folder));
}

/** Returns what was sealed at the release. */
export function readSeal(folder: string): string {
  return readFileSync(path.join(folder, sealName), 'utf8');
}
