import busboy from 'busboy';
import type { Request } from 'express';
import express, { type RequestHandler, type Response } from 'express';
import { cut } from '../../core/text/cut';
import { decodeFile, notText } from '../../core/text/decode';
import { AppError, invalid, parseError } from '../../core/http/errors';
import type { InputSchema } from '../../core/http/fields';
import { coerceForm } from '../../core/http/forms';
import { parseJson, refuseManyValues } from '../../core/http/numbers';
import type { Operation } from '../../core/http/operations';
import { inputBoundary } from '../../core/http/validate';
import { WorkTurn } from '../../core/loopTime';
import { stateOf } from './request';
import { reason } from '../../core/http/reasons';

/** The largest body of an operation that sets no limit of its own (contract 3), in bytes. */
export const defaultBodyLimit = 1024 * 1024;

const urlencoded = 'application/x-www-form-urlencoded';
/**
 * Bytes of a body that is too large and read to its end nevertheless: its sender is somebody who made a mistake, and
 * many clients read no answer before they have sent everything. The reader would do it with any length.
 */
const readToEnd = 16 * 1024 * 1024;
/** Bytes of a body that is read at one go. */
const longBody = 256 * 1024;

/** The most field names and the most values in one form; a list repeats its name. */
const maxFormNames = 500;
const maxFormValues = 5_000;
const readers = new Map<number, RequestHandler>();

/** Reads the bytes of a body, decompressed; throws 413 when there are more than `limit`. */
export function readRaw(req: Request, res: Response, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > Math.max(limit, readToEnd)) {
    stateOf(res).endsEarly = true;
    return Promise.reject(tooLarge());
  }
  let reader = readers.get(limit);
  if (!reader) {
    reader = express.raw({ type: () => true, limit, inflate: true });
    readers.set(limit, reader);
  }
  const parse = reader;
  return new Promise((resolve, reject) => {
    void parse(req, res, (error?: unknown) => {
      if (error) reject(bodyError(error));
      else {
        stateOf(res).goesOn?.();
        resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
      }
    });
  });
}

const tooLarge = (): AppError => new AppError('too_large', reason('bodyTooLarge'));

function bodyError(error: unknown): AppError {
  const type = (error as { type?: string }).type;
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'encoding.unsupported')
    return new AppError('unsupported_media_type', 'Unsupported content encoding in request.');
  return parseError('The request body could not be read.');
}

/** Reads the fields of a form of our own pages, which is urlencoded whatever its content type says. */
export async function readFields(req: Request, res: Response, limit: number): Promise<URLSearchParams> {
  return new URLSearchParams((await readRaw(req, res, limit)).toString('utf8'));
}

/** A file of a form, as its sender calls it and says that it is: neither is to be trusted. */
export interface FormFile {
  readonly filename: string;
  readonly declared: string;
  readonly bytes: Buffer;
}

/**
 * Reads the fields of a urlencoded or multipart form in their order; a body of another type has none. A file goes to
 * `keep` where that is told, else it counts as its text.
 */
export async function readForm(
  req: Request,
  res: Response,
  limit: number,
  keep?: (file: FormFile) => void,
): Promise<[string, string][]> {
  const header = req.headers['content-type'] ?? '';
  const type = typeOf(header);
  const raw = await readRaw(req, res, limitOf(type, limit));
  if (type === 'multipart/form-data') return readMultipart(raw, header, new WorkTurn(stateOf(res).goesOn), keep);
  return type === urlencoded ? [...new URLSearchParams(decodeUtf8(raw))] : [];
}

function typeOf(header: string): string {
  return header.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Returns the limit of a form: a file comes in a part of its own, and each `+` of a urlencoded text takes its time. */
function limitOf(type: string, limit: number): number {
  return type === urlencoded ? Math.min(limit, defaultBodyLimit) : limit;
}

/** Reads a JSON, urlencoded or multipart body into the object that is validated (contract 3). */
export async function readBody(req: Request, res: Response, operation: Operation): Promise<Record<string, unknown>> {
  const header = req.headers['content-type'];
  const type = typeOf(header ?? '');
  const raw = await readRaw(req, res, limitOf(type, operation.bodyLimit ?? defaultBodyLimit));
  if (raw.length === 0 && (header === undefined || !header.startsWith('multipart/'))) return {};
  const turn = new WorkTurn(stateOf(res).goesOn);
  // What takes long is parted, so that others have their turn in between.
  if (raw.length > longBody) await turn.next();
  if (type === 'application/json' || type.endsWith('+json')) return inputBoundary(() => readJson(raw, operation));
  if (type === urlencoded) return inputBoundary(() => formToInput(readUrlencoded(refuseJson(raw)), operation.body));
  if (type === 'multipart/form-data') return formToInput(await readMultipart(raw, header ?? '', turn), operation.body);
  throw new AppError('unsupported_media_type', `Unsupported media type "${cut(type, 100)}" in request.`);
}

function readJson(raw: Buffer, operation: Operation): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(decodeUtf8(raw));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw parseError(`JSON parse error - ${describeJsonError(error)}`);
  }
  if (Array.isArray(value) && operation.arrayBody) return { [operation.arrayBody]: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const name = Array.isArray(value)
      ? 'list'
      : value === null
        ? 'null'
        : typeof value === 'string'
          ? 'str'
          : typeof value;
    throw invalid({ non_field_errors: [reason('noObject', { type: name })] });
  }
  return value as Record<string, unknown>;
}

/**
 * Returns the JSON parser's message as a sentence, without the part of the body that it may quote. The error has no
 * code, so the text is matched.
 */
export function describeJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/position \d+/.test(message)) return `${message.replace(/ in JSON at/, ' at')}.`;
  const token = /^Unexpected token (.+?), (?:\.{3})?"/s.exec(message)?.[1];
  if (token !== undefined) return `Unexpected token ${token}.`;
  return message.startsWith('Unexpected end') ? 'Unexpected end of the body.' : 'The body is not JSON.';
}

/** Refuses JSON where a form was announced: the caller forgot the Content-Type header, the most common mistake. */
function refuseJson(raw: Buffer): Buffer {
  const first = raw.find((byte) => byte > 0x20);
  if ((first === 0x7b || first === 0x5b) && isJson(decodeUtf8(raw)))
    throw parseError('Send Content-Type: application/json.');
  return raw;
}

function isJson(text: string): boolean {
  try {
    refuseManyValues(text);
    JSON.parse(text);
    return true;
  } catch (error) {
    return error instanceof AppError;
  }
}

function decodeUtf8(raw: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    throw parseError('The request body is not valid UTF-8.');
  }
}

/**
 * Returns the pairs of a urlencoded body. They are counted before they are parsed, because two bytes are enough for a
 * pair.
 */
function readUrlencoded(raw: Buffer): [string, string][] {
  let pairs = 1;
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', at + 1)) {
    pairs += 1;
    if (pairs > maxFormValues) throw tooManyValues();
  }
  return [...new URLSearchParams(decodeUtf8(raw))];
}

function tooManyValues(): AppError {
  return new AppError('too_large', `A form may have at most ${maxFormValues} values.`);
}

function formToInput(
  pairs: readonly (readonly [string, string])[],
  schema: InputSchema | undefined,
): Record<string, unknown> {
  if (pairs.length > maxFormValues) throw tooManyValues();
  const gathered = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const before = gathered.get(key);
    if (before) before.push(value);
    else gathered.set(key, [value]);
  }
  if (gathered.size > maxFormNames) throw new AppError('too_large', `A form may have at most ${maxFormNames} fields.`);
  const raw = Object.fromEntries([...gathered].map(([key, values]) => [key, values.length > 1 ? values : values[0]]));
  return schema ? coerceForm(schema, raw) : raw;
}

/**
 * Reads a multipart body. Names are taken as they are: brackets in them create no nested values. A file counts as its
 * text, or goes to `keep`.
 */
function readMultipart(
  raw: Buffer,
  contentType: string,
  turn: WorkTurn,
  keep?: (file: FormFile) => void,
): Promise<[string, string][]> {
  return new Promise((resolve, reject) => {
    const broken = (): void => reject(parseError('The multipart body is malformed.'));
    const pairs: [string, string][] = [];
    let pending = 0;
    let ended = false;
    const done = (): void => {
      if (ended && pending === 0) resolve(pairs);
    };
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: { 'content-type': contentType },
        defParamCharset: 'utf8',
        limits: {
          fields: maxFormValues + 1,
          fieldNameSize: 255,
          fieldSize: raw.length + 1,
          files: 5,
          fileSize: raw.length + 1,
          parts: maxFormValues + 10,
        },
      });
    } catch {
      broken();
      return;
    }
    parser.on('field', (name: string | undefined, value) => {
      if (name) pairs.push([name, value]);
    });
    parser.on('file', (name: string | undefined, stream, info) => {
      const { filename, mimeType: declared } = info;
      pending += 1;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', broken);
      stream.on('close', () => {
        const bytes = Buffer.concat(chunks);
        try {
          // A field into which nothing was chosen has neither.
          if (keep && (filename || bytes.length > 0)) keep({ filename: filename ?? '', declared, bytes });
          else if (name && !keep) pairs.push([name, decodeFile(bytes)]);
        } catch {
          reject(invalid({ [name ?? 'non_field_errors']: [notText] }));
        }
        pending -= 1;
        done();
      });
    });
    parser.on('error', broken);
    parser.on('close', () => {
      ended = true;
      done();
    });
    feed(parser, raw, turn).catch(reject);
  });
}

/** Gives a body to its parser in pieces, so that others have their turn in between. */
async function feed(parser: busboy.Busboy, raw: Buffer, turn: WorkTurn): Promise<void> {
  for (let at = 0; at < raw.length; at += longBody) {
    if (at > 0) await turn.next();
    parser.write(raw.subarray(at, at + longBody));
  }
  parser.end();
}
