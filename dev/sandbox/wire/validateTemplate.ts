import type { Context } from '../context';
import { GraphError } from './errors';
import { invalid, missing, validateMedia } from './checks';
import type { Account, JsonObject, Template } from '../types';
import { isObject, lengthOf, objectOf, objectsOf, textOf } from '../util';

const placeholder = /\{\{\s*([a-z0-9_]+)\s*\}\}/gi;
const maxBody = 1024;

/** Returns the distinct placeholder names of a text, in order of appearance. */
export function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map((match) => match[1] as string))];
}

/** Returns the template's own component of one type, or undefined. */
export function componentOf(template: Template, type: string): JsonObject | undefined {
  return template.components.find((component) => String(component['type']).toUpperCase() === type);
}

/** Returns the body text; that of an authentication template is fixed by the platform. */
export function bodyTextOf(template: Template): string {
  const text = textOf(componentOf(template, 'BODY')?.['text']);
  return text ?? (template.category === 'AUTHENTICATION' ? '*{{1}}* is your verification code.' : '');
}

export function buttonsOf(template: Template): JsonObject[] {
  return objectsOf(componentOf(template, 'BUTTONS')?.['buttons']);
}

/** Checks existence, approval and parameters: every template error that the platform answers at once. */
export function validateTemplate(
  context: Context,
  account: Account,
  content: JsonObject,
  onlyUserId: boolean,
): Template {
  const name = textOf(content['name']);
  if (!name) throw missing("template['name']");
  const language = isObject(content['language']) ? textOf(content['language']['code']) : undefined;
  if (!language) throw missing("template['language']['code']");
  const template = context.state.templateByName(account, name, language);
  if (!template) throw new GraphError(132001, `template name (${name}) does not exist in ${language}`);
  if (template.status === 'PAUSED') throw new GraphError(132015, `template (${name}) is paused due to low quality`);
  if (template.status === 'DISABLED') throw new GraphError(132016, `template (${name}) is disabled`);
  if (template.status !== 'APPROVED')
    throw new GraphError(132001, `template name (${name}) is not approved in ${language}`);
  if (onlyUserId && template.category === 'AUTHENTICATION') throw new GraphError(131062);
  if (content['components'] !== undefined && !Array.isArray(content['components']))
    throw invalid("Param template['components'] must be an array.");
  checkParts(context, account, template, objectsOf(content['components']));
  return template;
}

/** Checks what is given for a template, or for one card of it. */
function checkParts(context: Context, account: Account, template: Template, components: JsonObject[]): void {
  checkHeader(context, account, template, components);
  checkBody(template, components);
  checkButtons(template, components);
  checkOffer(context, template, components);
  checkCarousel(context, account, template, components);
}

function checkOffer(context: Context, template: Template, components: JsonObject[]): void {
  const offer = objectOf(componentOf(template, 'LIMITED_TIME_OFFER')?.['limited_time_offer']);
  const parameters = sentComponent(components, 'limited_time_offer');
  if (!componentOf(template, 'LIMITED_TIME_OFFER') || offer['has_expiration'] === false) return;
  const time = objectOf(parameters[0]?.['limited_time_offer'])['expiration_time_ms'];
  if (time === undefined) throw new GraphError(131008, 'limited_time_offer: expiration_time_ms is required');
  if (typeof time !== 'number' || time <= context.clock())
    throw new GraphError(131009, 'limited_time_offer: expiration_time_ms must be in the future');
}

function checkCarousel(context: Context, account: Account, template: Template, components: JsonObject[]): void {
  const cards = objectsOf(componentOf(template, 'CAROUSEL')?.['cards']);
  const given = components.filter((component) => String(component['type']).toLowerCase() === 'carousel');
  const sent = objectsOf(given[0]?.['cards']);
  if (given.length > 1) throw new GraphError(132018, 'Component carousel is given more than once.');
  if (cards.length > 0 && given.length === 0) throw new GraphError(131008, 'carousel: Required component is missing');
  if (sent.length !== cards.length)
    throw new GraphError(
      132012,
      `carousel: number of cards (${sent.length}) does not match the expected number of cards (${cards.length})`,
    );
  cards.forEach((card, index) => {
    const own = sent.filter((item) => item['card_index'] === index);
    if (own.length !== 1) throw new GraphError(132018, `carousel: card_index ${index} must be given once`);
    const part = { ...template, category: 'MARKETING', components: objectsOf(card['components']) };
    checkParts(context, account, part, objectsOf(own[0]?.['components']));
  });
}

function sentComponent(components: JsonObject[], type: string): JsonObject[] {
  const found = components.filter((component) => String(component['type']).toLowerCase() === type);
  if (found.length > 1) throw new GraphError(132018, `Component ${type} is given more than once.`);
  return objectsOf(found[0]?.['parameters']);
}

function checkHeader(context: Context, account: Account, template: Template, components: JsonObject[]): void {
  const header = componentOf(template, 'HEADER');
  const parameters = sentComponent(components, 'header');
  const format = String(header?.['format'] ?? 'NONE').toUpperCase();
  if (format === 'TEXT' || format === 'NONE') {
    checkTexts(template, 'header', textOf(header?.['text']) ?? '', parameters, 60);
    return;
  }
  if (parameters.length !== 1)
    throw new GraphError(
      132012,
      `header: Format mismatch, expected ${format}, received ${parameters.length === 0 ? 'UNKNOWN' : 'several'}`,
    );
  const kind = String(parameters[0]?.['type']).toLowerCase();
  if (kind !== format.toLowerCase())
    throw new GraphError(132012, `header: Format mismatch, expected ${format}, received ${kind.toUpperCase()}`);
  const value = parameters[0]?.[kind];
  if (!isObject(value)) throw missing(`template header parameter ${kind}`);
  if (kind === 'location') {
    if (value['latitude'] === undefined || value['longitude'] === undefined)
      throw missing('template header parameter location latitude and longitude');
  } else if (kind === 'product') {
    if (!textOf(value['product_retailer_id'])) throw missing('template header parameter product_retailer_id');
  } else validateMedia(context, account, value, kind);
}

function checkBody(template: Template, components: JsonObject[]): void {
  const parameters = sentComponent(components, 'body');
  const text = bodyTextOf(template);
  const values = checkTexts(template, 'body', text, parameters, maxBody);
  if (template.category === 'AUTHENTICATION' && lengthOf([...values.values()][0] ?? '') > 15) {
    throw new GraphError(132018, 'body: the code must be at most 15 characters long');
  }
}

/** Checks the parameters of one text and returns them by placeholder. */
function checkTexts(
  template: Template,
  where: string,
  text: string,
  parameters: JsonObject[],
  maxRendered: number,
): Map<string, string> {
  const expected = placeholdersOf(text);
  if (parameters.length !== expected.length) {
    throw new GraphError(
      132000,
      `${where}: number of localizable_params (${parameters.length}) does not match ` +
        `the expected number of params (${expected.length})`,
    );
  }
  const values = new Map<string, string>();
  parameters.forEach((parameter, index) => {
    const key = template.parameter_format === 'NAMED' ? nameOf(where, parameter, expected) : String(index + 1);
    if (values.has(key)) throw new GraphError(132018, `${where}: parameter name ${key} is given more than once`);
    values.set(key, parameterText(where, index, parameter));
  });
  const rendered = text.replace(placeholder, (_match, key: string) => values.get(key) ?? '');
  if (expected.length > 0 && lengthOf(rendered) > maxRendered) {
    throw new GraphError(132005, `${where}: rendered text is longer than ${maxRendered} characters`);
  }
  return values;
}

function nameOf(where: string, parameter: JsonObject, expected: string[]): string {
  const name = textOf(parameter['parameter_name']);
  if (!name) throw new GraphError(132018, `${where}: Parameter name is missing or empty`);
  if (!expected.includes(name)) throw new GraphError(132018, `${where}: Parameter name ${name} is not in the template`);
  return name;
}

function parameterText(where: string, index: number, parameter: JsonObject): string {
  const type = textOf(parameter['type']);
  if (type === 'currency' || type === 'date_time') {
    const fallback = isObject(parameter[type]) ? textOf((parameter[type] as JsonObject)['fallback_value']) : undefined;
    if (!fallback) throw missing(`${where}[${index}]['${type}']['fallback_value']`);
    return fallback;
  }
  if (type !== 'text')
    throw new GraphError(132012, `${where}: Format mismatch, expected TEXT, received ${String(type).toUpperCase()}`);
  const text = parameter['text'];
  if (typeof text !== 'string' || text.trim() === '')
    throw new GraphError(131008, 'Parameter of type text is missing text value');
  if (/[\n\r\t]| {5,}/.test(text)) {
    throw new GraphError(132018, 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces');
  }
  return text;
}

function checkButtons(template: Template, components: JsonObject[]): void {
  const buttons = buttonsOf(template);
  const given = new Map<number, JsonObject>();
  for (const component of components.filter((item) => String(item['type']).toLowerCase() === 'button')) {
    const index = Number(component['index'] ?? 0);
    if (!Number.isInteger(index) || !buttons[index])
      throw new GraphError(132018, `buttons: the template has no button at index ${String(component['index'])}`);
    if (given.has(index)) throw new GraphError(132018, `buttons: button at index ${index} is given more than once`);
    given.set(index, component);
  }
  const isProduct = String(componentOf(template, 'HEADER')?.['format']).toUpperCase() === 'PRODUCT';
  buttons.forEach((button, index) => {
    const type = String(button['type']).toUpperCase();
    checkButton(button, index, given.get(index));
    if (!actionButtons.includes(type) || (type === 'SPM' && isProduct)) return;
    const action = objectsOf(given.get(index)?.['parameters'])[0]?.['action'];
    if (!isObject(action))
      throw new GraphError(131008, `buttons: Button at index ${index} of type ${type} requires an action`);
  });
}

/** Buttons whose products or order each message names. */
const actionButtons = ['MPM', 'SPM', 'ORDER_DETAILS'];

const subTypes: Record<string, string[]> = {
  URL: ['url'],
  OTP: ['url'],
  QUICK_REPLY: ['quick_reply'],
  COPY_CODE: ['copy_code'],
  FLOW: ['flow'],
  CATALOG: ['catalog'],
  MPM: ['mpm'],
  SPM: ['spm'],
  ORDER_DETAILS: ['order_details'],
  PHONE_NUMBER: ['voice_call'],
};

function checkButton(button: JsonObject, index: number, component: JsonObject | undefined): void {
  const type = String(button['type']).toUpperCase();
  const variable =
    type === 'OTP' ||
    type === 'COPY_CODE' ||
    (type === 'URL' && placeholdersOf(textOf(button['url']) ?? '').length > 0);
  if (!component) {
    if (variable)
      throw new GraphError(131008, `buttons: Button at index ${index} of type ${type} requires a parameter`);
    return;
  }
  const subType = String(component['sub_type']).toLowerCase();
  if (subTypes[type] && !subTypes[type].includes(subType)) {
    throw new GraphError(132018, `buttons: Button at index ${index} is of type ${type}, not ${subType}`);
  }
  const parameters = objectsOf(component['parameters']);
  if (!variable) {
    if (type === 'URL' && parameters.length > 0)
      throw new GraphError(132018, `buttons: Button at index ${index} of type URL does not require parameters`);
    return;
  }
  if (parameters.length !== 1)
    throw new GraphError(
      132000,
      `buttons: number of params (${parameters.length}) of button ${index} does not match ` +
        'the expected number of params (1)',
    );
  const parameter = parameters[0] as JsonObject;
  const text = type === 'COPY_CODE' ? parameter['coupon_code'] : parameter['text'];
  if (typeof text !== 'string' || text === '')
    throw new GraphError(131008, `buttons: parameter of button ${index} is missing its value`);
  if (type === 'OTP' && lengthOf(text) > 15)
    throw new GraphError(132018, 'buttons: the code must be at most 15 characters long');
  if (type === 'COPY_CODE' && lengthOf(text) > 20)
    throw new GraphError(132018, 'buttons: the coupon code must be at most 20 characters long');
}

/** Returns the text as the customer reads it; used by the page. */
export function renderText(template: Template, text: string, parameters: JsonObject[]): string {
  return text.replace(placeholder, (match, key: string) => {
    const parameter =
      template.parameter_format === 'NAMED'
        ? parameters.find((item) => item['parameter_name'] === key)
        : parameters[Number(key) - 1];
    if (!parameter) return match;
    const type = textOf(parameter['type']) ?? 'text';
    return type === 'text'
      ? (textOf(parameter['text']) ?? match)
      : (textOf((parameter[type] as JsonObject | undefined)?.['fallback_value']) ?? match);
  });
}
