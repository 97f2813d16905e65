import { createHmac } from 'node:crypto';
import busboy from 'busboy';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context';
import { GraphError, unknownObject } from './errors';
import { sampleFile } from '../play/samples';
import type { Account, JsonObject, MediaFile, Reply } from '../types';
import { sha256 } from '../util';

const urlTtlMs = 300_000;
const dayMs = 86_400_000;
/** How long a file is kept that came with a message, and one that was uploaded. */
const [customersForMs, uploadsForMs] = [7 * dayMs, 30 * dayMs];
const megabyte = 1_048_576;
const maxUploadBytes = 100 * megabyte;

/** How large a file may be that is sent as this type of message; an upload does not say yet as which. */
export const maxBytesOf: Readonly<Record<string, number>> = {
  image: 5 * megabyte,
  video: 16 * megabyte,
  audio: 16 * megabyte,
  sticker: megabyte / 2,
  document: maxUploadBytes,
};

/** Returns a file unless its time is over: then it is deleted. */
export function mediaOf(context: Context, id: string): MediaFile | undefined {
  const file = context.state.media.get(id);
  if (!file) return undefined;
  const keptMs = file.uploaded_on === null ? customersForMs : uploadsForMs;
  if (context.clock() - file.created_at < keptMs) return file;
  context.state.media.delete(id);
  return undefined;
}

/** Answers `POST /{phone_number_id}/media`, which is multipart. */
export async function uploadMedia(
  context: Context,
  account: Account,
  phoneNumberId: string,
  headers: IncomingHttpHeaders,
  data: Buffer,
): Promise<Reply> {
  const { fields, file } = await parseMultipart(headers, data);
  if (fields['messaging_product'] !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  if (!file) throw new GraphError(100, 'The parameter file is required.');
  const mime = (fields['type'] ?? file.mime).split(';')[0]?.trim().toLowerCase() ?? '';
  if (!/^(image|audio|video|application|text)\//.test(mime))
    throw new GraphError(100, `Param file must be a file with a supported type. Received file of type '${mime}'.`);
  if (file.data.length === 0) throw new GraphError(100, 'Param file is empty.');
  if (file.data.length > maxUploadBytes)
    throw new GraphError(100, `Param file is larger than ${maxUploadBytes} bytes.`);
  const stored = storeMedia(context, account, mime, file.name, file.data, phoneNumberId);
  return { status: 200, body: { id: stored.id } };
}

interface Multipart {
  fields: Record<string, string>;
  file?: { name: string; mime: string; data: Buffer };
}

function parseMultipart(headers: IncomingHttpHeaders, data: Buffer): Promise<Multipart> {
  return new Promise((resolve, reject) => {
    const result: Multipart = { fields: {} };
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers, limits: { files: 1, fields: 20 } });
    } catch {
      reject(new GraphError(100, 'The request must be multipart/form-data.'));
      return;
    }
    parser.on('field', (name, value) => {
      result.fields[name] = value;
    });
    parser.on('file', (name, stream, info) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (name === 'file')
          result.file = { name: info.filename ?? 'file', mime: info.mimeType, data: Buffer.concat(chunks) };
      });
    });
    parser.on('error', () => reject(new GraphError(100, 'The multipart body cannot be read.')));
    parser.on('close', () => resolve(result));
    parser.end(data);
  });
}

function storeMedia(
  context: Context,
  account: Account,
  mime: string,
  filename: string,
  data: Buffer,
  uploadedOn: string | null = null,
): MediaFile {
  const digest = sha256(data);
  const id =
    String(1_000_000_000_000_000 + context.state.media.size * 7919 + Math.floor(context.random() * 7000)) +
    String(context.state.nextSeq);
  const file: MediaFile = {
    id,
    business_account_id: account.business_account_id,
    uploaded_on: uploadedOn,
    mime_type: mime,
    filename,
    sha256: digest.toString('hex'),
    data,
    created_at: context.clock(),
  };
  context.state.media.set(id, file);
  return file;
}

/** Completes the media object of an inbound message: a given id, given bytes, or a generated sample. */
export function inboundMedia(context: Context, account: Account, type: string, given: JsonObject): JsonObject {
  const known = typeof given['id'] === 'string' ? mediaOf(context, given['id']) : undefined;
  const { data, ...rest } = given;
  const sample = sampleFile(type);
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : sample.data;
  const mime = typeof given['mime_type'] === 'string' ? given['mime_type'] : sample.mime;
  const file =
    known ??
    (typeof given['id'] === 'string'
      ? undefined
      : storeMedia(context, account, mime.split(';')[0] ?? mime, String(given['filename'] ?? sample.name), bytes));
  const out: JsonObject = {
    mime_type: mime,
    sha256: file ? Buffer.from(file.sha256, 'hex').toString('base64') : sha256(bytes).toString('base64'),
    id: file?.id ?? given['id'],
  };
  if (type === 'document') out['filename'] = given['filename'] ?? sample.name;
  if (type === 'audio') out['voice'] = given['voice'] ?? true;
  if (type === 'sticker') out['animated'] = given['animated'] ?? false;
  return { ...out, ...rest, id: out['id'], sha256: rest['sha256'] ?? out['sha256'], mime_type: mime };
}

/** Answers `GET /{media}`; a `phone_number_id` is taken only for a file that was uploaded on that number. */
export function getMedia(
  context: Context,
  account: Account,
  id: string,
  query: URLSearchParams,
  origin: string,
): Reply {
  const file = mediaOf(context, id);
  if (!file || file.business_account_id !== account.business_account_id) throw unknownObject(id);
  const number = query.get('phone_number_id');
  if (number !== null && number !== file.uploaded_on)
    throw new GraphError(100, 'Param phone_number_id is not a valid whatsapp business phone number id ID');
  const expires = context.clock() + urlTtlMs;
  return {
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      url: `${origin}/_media/${id}?ext=${expires}&hash=${urlHash(context, id, expires)}`,
      mime_type: file.mime_type,
      sha256: file.sha256,
      file_size: file.data.length,
      id,
    },
  };
}

export function deleteMedia(context: Context, account: Account, id: string): Reply {
  const file = mediaOf(context, id);
  if (!file || file.business_account_id !== account.business_account_id) throw unknownObject(id);
  context.state.media.delete(id);
  return { status: 200, body: { success: true } };
}

/** Returns the bytes; needs the account's bearer token and a link younger than five minutes. */
export function downloadMedia(context: Context, accounts: Account[], id: string, query: URLSearchParams): Reply {
  const file = mediaOf(context, id);
  const expires = Number(query.get('ext'));
  const valid =
    file &&
    accounts.some((account) => account.business_account_id === file.business_account_id) &&
    expires > context.clock() &&
    query.get('hash') === urlHash(context, id, expires);
  if (!valid) return { status: 404, raw: 'Not Found', contentType: 'text/plain', outcome: 'media_gone' };
  return { status: 200, raw: file.data, contentType: file.mime_type };
}

export function urlHash(context: Context, id: string, expires: number): string {
  return createHmac('sha256', context.runId).update(`${id}|${expires}`).digest('base64url').slice(0, 24);
}
