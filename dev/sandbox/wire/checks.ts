import type { Context } from '../context';
import { maxBytesOf, mediaOf } from './media';
import { GraphError } from './errors';
import type { Account, JsonObject } from '../types';
import { lengthOf, textOf } from '../util';

export function missing(name: string): GraphError {
  return new GraphError(131008, `Required parameter is missing: ${name}.`);
}

export function invalid(details: string): GraphError {
  return new GraphError(131009, details);
}

/** Returns a present, non-empty string within its limit, or throws. */
export function requiredText(holder: JsonObject, name: string, path: string, max: number): string {
  const value = holder[name];
  if (value === undefined || value === null || value === '') throw missing(`${path}['${name}']`);
  if (typeof value !== 'string') throw invalid(`Param ${path}['${name}'] must be a string.`);
  limit(value, `${path}['${name}']`, max);
  return value;
}

export function optionalText(holder: JsonObject, name: string, path: string, max: number): void {
  if (holder[name] !== undefined && holder[name] !== null) requiredText(holder, name, path, max);
}

export function limit(value: string, path: string, max: number): void {
  if (value.length > max && lengthOf(value) > max) {
    throw new GraphError(100, `Param ${path} must be at most ${max} characters long.`);
  }
}

const mediaTypes = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/** Checks a media object; also used for headers of templates and interactive messages. */
export function validateMedia(context: Context, account: Account, content: JsonObject, type: string): void {
  if (!mediaTypes.has(type)) throw invalid(`${type} is not a media type.`);
  const id = textOf(content['id']);
  const link = textOf(content['link']);
  if ((id === undefined) === (link === undefined)) {
    throw id === undefined
      ? missing(`${type}['id'] or ${type}['link']`)
      : invalid(`Param ${type} must have exactly one of id and link.`);
  }
  if (link !== undefined && !/^https?:\/\/[^\s/]+/i.test(link))
    throw invalid(`Param ${type}['link'] is not a valid URL.`);
  if (id !== undefined) {
    const file = mediaOf(context, id);
    if (!file || file.business_account_id !== account.business_account_id)
      throw invalid(`Media with id ${id} does not exist.`);
    if (type !== 'document' && !fits(type, file.mime_type))
      throw invalid(`Media ${id} is ${file.mime_type}, which cannot be sent as ${type}.`);
    if (file.data.length > (maxBytesOf[type] ?? 0)) throw invalid(`Media ${id} is too large to be sent as ${type}.`);
  }
  if (type === 'audio' || type === 'sticker') {
    if (content['caption'] !== undefined) throw invalid(`Param ${type}['caption'] is not allowed.`);
  } else {
    optionalText(content, 'caption', type, 1024);
  }
}

function fits(type: string, mime: string): boolean {
  if (type === 'sticker') return mime === 'image/webp';
  if (type === 'image') return mime === 'image/jpeg' || mime === 'image/png';
  return mime.startsWith(`${type}/`);
}
