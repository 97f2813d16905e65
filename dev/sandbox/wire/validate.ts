import { invalid, missing, requiredText, validateMedia } from './checks';
import type { Context } from '../context';
import { GraphError } from './errors';
import { validateInteractive } from './validateInteractive';
import { validateTemplate } from './validateTemplate';
import type { Account, JsonObject, Template } from '../types';
import { isObject, listOf, textOf } from '../util';

/** What validation learned that the send needs. */
interface Checked {
  type: string;
  template?: Template;
}

/** Checks the type and its object, in the order in which the platform complains. */
export function validateContent(context: Context, account: Account, body: JsonObject, onlyUserId: boolean): Checked {
  const type = body['type'] === undefined ? 'text' : textOf(body['type']);
  if (type === undefined || !validators[type]) {
    throw new GraphError(131051, `Message type "${String(body['type'])}" is not supported.`);
  }
  const content = body[type];
  if (content === undefined || content === null) throw missing(type);
  if (type !== 'contacts' && !isObject(content)) throw invalid(`Param ${type} must be a JSON object.`);
  validators[type](context, account, content as JsonObject, type);
  if (type === 'template')
    return { type, template: validateTemplate(context, account, content as JsonObject, onlyUserId) };
  if (body['context'] !== undefined && type === 'reaction') throw invalid('A reaction cannot be a contextual reply.');
  return { type };
}

type Validator = (context: Context, account: Account, content: JsonObject, type: string) => void;

const validators: Record<string, Validator> = {
  text: (_context, _account, content) => {
    requiredText(content, 'body', 'text', 4096);
    const preview = content['preview_url'];
    if (preview !== undefined && typeof preview !== 'boolean')
      throw invalid("Param text['preview_url'] must be a boolean.");
  },
  image: validateMedia,
  video: validateMedia,
  audio: validateMedia,
  document: validateMedia,
  sticker: validateMedia,
  location: (_context, _account, content) => {
    coordinate(content, 'latitude', 90);
    coordinate(content, 'longitude', 180);
  },
  contacts: (_context, _account, content) => {
    const cards = listOf(content);
    if (!Array.isArray(content) || cards.length === 0) throw invalid('Param contacts must be a non-empty array.');
    cards.forEach((card, index) => {
      const name = isObject(card) ? card['name'] : undefined;
      if (!isObject(name)) throw missing(`contacts[${index}]['name']`);
      requiredText(name, 'formatted_name', `contacts[${index}]['name']`, 1024);
      const parts = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix'];
      if (!parts.some((part) => textOf(name[part])))
        throw missing(`contacts[${index}]['name'] (one of ${parts.join(', ')})`);
    });
  },
  reaction: (_context, _account, content) => {
    requiredText(content, 'message_id', 'reaction', 512);
    if (content['emoji'] !== undefined && typeof content['emoji'] !== 'string')
      throw invalid("Param reaction['emoji'] must be a string.");
  },
  interactive: validateInteractive,
  template: () => undefined,
};

function coordinate(content: JsonObject, name: string, bound: number): void {
  const value = content[name];
  if (value === undefined || value === null || value === '') throw missing(`location['${name}']`);
  const number = Number(value);
  if (!Number.isFinite(number) || Math.abs(number) > bound)
    throw invalid(`Param location['${name}'] is not a valid coordinate.`);
}
