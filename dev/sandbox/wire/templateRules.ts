import { GraphError } from './errors';
import type { JsonObject } from '../types';
import { lengthOf, objectsOf, textOf } from '../util';
import { placeholdersOf } from './validateTemplate';

const headerFormats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'];
const buttonLimits: Record<string, number> = {
  QUICK_REPLY: 10,
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  CATALOG: 1,
  MPM: 1,
  SPM: 1,
  ORDER_DETAILS: 1,
  CALL_PERMISSION_REQUEST: 1,
  OTP: 1,
  VOICE_CALL: 1,
  REQUEST_CONTACT_INFO: 1,
};

function refuse(message: string, subcode = 2388023): GraphError {
  return new GraphError(100, 'Invalid parameter', {
    subcode,
    userTitle: 'Message template cannot be created',
    userMessage: message,
  });
}

/** Checks the rules that the platform applies before a human review. */
export function checkComponents(components: JsonObject[], category: string, format: string): void {
  const seen = new Map<string, JsonObject>();
  for (const component of components) {
    const type = String(component['type']).toUpperCase();
    if (!['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'].includes(type))
      throw refuse(`Component type ${type} is not supported.`);
    if (seen.has(type)) throw refuse(`Component ${type} is given more than once.`);
    seen.set(type, component);
  }
  const body = seen.get('BODY');
  if (!body) throw refuse('A BODY component is required.');
  checkButtons(objectsOf(seen.get('BUTTONS')?.['buttons']));
  if (category === 'AUTHENTICATION') {
    if (!objectsOf(seen.get('BUTTONS')?.['buttons']).some((button) => String(button['type']).toUpperCase() === 'OTP'))
      throw refuse('An authentication template needs one OTP button.');
    return;
  }
  checkText('BODY', textOf(body['text']), 1024, format, 99);
  const header = seen.get('HEADER');
  if (header) {
    const kind = String(header['format'] ?? 'TEXT').toUpperCase();
    if (!headerFormats.includes(kind)) throw refuse(`Header format ${kind} is not supported.`);
    if (kind === 'TEXT') checkText('HEADER', textOf(header['text']), 60, format, 1);
  }
  const footer = seen.get('FOOTER');
  if (footer) checkText('FOOTER', textOf(footer['text']), 60, format, 0);
}

function checkText(
  where: string,
  text: string | undefined,
  max: number,
  format: string,
  maxPlaceholders: number,
): void {
  if (!text) throw refuse(`${where} text is required.`);
  if (lengthOf(text) > max) throw refuse(`${where} text is longer than ${max} characters.`);
  const names = placeholdersOf(text);
  if (names.length > maxPlaceholders) throw refuse(`${where} has too many variables.`);
  if (names.length === 0) return;
  if (format === 'NAMED') {
    if (names.some((name) => !/^[a-z][a-z0-9_]*$/.test(name)))
      throw refuse('Variable names must be lower-case letters, digits and underscores.', 2388299);
  } else if (names.some((name, index) => name !== String(index + 1))) {
    throw refuse('Variables must be sequential, beginning with {{1}}.', 2388299);
  }
  if (/\}\}\s*\{\{/.test(text)) throw refuse('Variables must not be next to each other.', 2388299);
  if (where === 'BODY' && (/^\s*\{\{/.test(text) || /\}\}\s*$/.test(text)))
    throw refuse("Variables can't be at the start or end of the template.", 2388299);
  if (where === 'BODY' && text.trim().split(/\s+/).length < names.length * 2 + 1)
    throw refuse('This template has too many variables for its length.', 2388293);
}

function checkButtons(buttons: JsonObject[]): void {
  if (buttons.length > 10) throw refuse('At most 10 buttons are allowed.');
  const counts = new Map<string, number>();
  buttons.forEach((button, index) => {
    const type = String(button['type']).toUpperCase();
    const limit = buttonLimits[type];
    if (limit === undefined) throw refuse(`Button type ${type} is not supported.`);
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    if (count > limit) throw refuse(`At most ${limit} buttons of type ${type} are allowed.`);
    const text = textOf(button['text']);
    if (type !== 'OTP' && type !== 'COPY_CODE' && type !== 'REQUEST_CONTACT_INFO' && (!text || lengthOf(text) > 25))
      throw refuse(`Button ${index} needs a text of at most 25 characters.`);
    if (type === 'URL' && !textOf(button['url'])) throw refuse(`Button ${index} needs a url.`);
  });
  const kinds = buttons.map((button) => String(button['type']).toUpperCase() === 'QUICK_REPLY');
  const changes = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  if (changes > 1) throw refuse('Quick reply buttons must be grouped together.');
}

/** Returns components as they are read back: types in upper case, the button of an authentication template as a URL. */
export function readBackComponents(components: JsonObject[], category: string): JsonObject[] {
  return components.map((component) => {
    const type = String(component['type']).toUpperCase();
    const out: JsonObject = { ...component, type };
    if (type === 'HEADER') out['format'] = String(component['format'] ?? 'TEXT').toUpperCase();
    if (type === 'BUTTONS') out['buttons'] = objectsOf(component['buttons']).map((button) => readBackButton(button));
    if (category === 'AUTHENTICATION' && type === 'BODY') {
      out['text'] =
        '*{{1}}* is your verification code.' +
        (component['add_security_recommendation'] === true ? ' For your security, do not share this code.' : '');
      out['example'] = { body_text: [['123456']] };
    }
    return out;
  });
}

function readBackButton(button: JsonObject): JsonObject {
  const type = String(button['type']).toUpperCase();
  if (type !== 'OTP') return { ...button, type };
  const kind = textOf(button['otp_type']) ?? 'COPY_CODE';
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${kind}&code=otp{{1}}`;
  return { type: 'URL', text: textOf(button['text']) ?? 'Copy code', url, example: [url.replace('{{1}}', '123456')] };
}
