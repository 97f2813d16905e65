import { isPlainObject, printable } from '../../../core/http/fields';

type Json = Record<string, unknown>;

/** What the parameters of a template depend on. */
export interface TemplateContent {
  readonly category: string;
  readonly parameter_format: string;
  readonly components: unknown;
}

/** What a template, or a card of one, wants to be given when it is sent (upstream 1.4). */
export interface Placeholders {
  readonly named: boolean;
  /** `text` carries names in order of appearance; other kinds take one parameter of that kind. */
  readonly header:
    | { readonly kind: 'none' }
    | { readonly kind: 'text'; readonly names: readonly string[] }
    | { readonly kind: (typeof headerKinds)[number] };
  /** Names in order of appearance: "1", "2", … or the named ones. */
  readonly body: readonly string[];
  /** Buttons that take a text, by position. */
  readonly buttons: readonly { readonly index: number; readonly subType: 'url' | 'copy_code' }[];
  /** Buttons that take an `action`, by position. */
  readonly actions: readonly { readonly index: number; readonly subType: string }[];
  /** It ends at a time that each message names. */
  readonly expires: boolean;
  readonly cards: readonly Placeholders[];
  /** How many buttons it has. */
  readonly buttonCount: number;
  /** Its parts of which it is not known what they need: `"HOLOGRAM" header`; of a button also its position. */
  readonly unknown: readonly { readonly name: string; readonly button: number | null }[];
}

const placeholderPattern = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
const headerKinds = ['image', 'video', 'document', 'location', 'gif', 'product'] as const;
/** Parts that need nothing beside what is read of them. */
const plainParts = ['header', 'body', 'footer', 'buttons', 'carousel', 'limited_time_offer', 'call_permission_request'];
/** Buttons that need nothing. */
const plainButtons = [
  'quick_reply',
  'phone_number',
  'catalog',
  'voice_call',
  'call_permission_request',
  'request_contact_info',
  'flow',
];
/** Buttons whose products or order each message names. */
const actionButtons = ['mpm', 'spm', 'order_details'];

/** Returns whether the template sends a one-time code; its buttons read back as URL, so only the category tells. */
export function isAuthentication(template: Pick<TemplateContent, 'category'>): boolean {
  return template.category.toUpperCase() === 'AUTHENTICATION';
}

/** Returns what the template wants to be given. */
export function placeholdersOf(template: TemplateContent): Placeholders {
  const components = objects(template.components);
  const component = (type: string): Json | undefined => components.find((item) => word(item['type']) === type);
  const header = component('header');
  const kind = word(header?.['format']);
  const media = headerKinds.find((candidate) => candidate === kind);
  const buttons = objects(component('buttons')?.['buttons']);
  const typesOf = buttons.map((button, index) => ({ button, index, type: word(button['type']) }));
  const offer = component('limited_time_offer');
  const headerNames = namesIn(header?.['text']);
  const bodyText = component('body')?.['text'];
  // The text of an authentication template is the platform's own and may be left out; it always holds the code.
  const body = typeof bodyText !== 'string' && isAuthentication(template) ? ['1'] : namesIn(bodyText);
  return {
    named: template.parameter_format.toUpperCase() === 'NAMED',
    header: media ? { kind: media } : headerNames.length > 0 ? { kind: 'text', names: headerNames } : { kind: 'none' },
    body,
    buttons: typesOf.flatMap(({ button, index, type }): { index: number; subType: 'url' | 'copy_code' }[] => {
      if (type === 'otp' || (type === 'url' && namesIn(button['url']).length > 0)) return [{ index, subType: 'url' }];
      return type === 'copy_code' ? [{ index, subType: 'copy_code' }] : [];
    }),
    // The product of a button under a product is that one.
    actions: typesOf.flatMap(({ index, type }) =>
      actionButtons.includes(type) && !(type === 'spm' && media === 'product') ? [{ index, subType: type }] : [],
    ),
    expires:
      offer !== undefined &&
      !(isPlainObject(offer['limited_time_offer']) && offer['limited_time_offer']['has_expiration'] === false),
    cards: objects(component('carousel')?.['cards']).map((card) =>
      placeholdersOf({ ...template, category: '', components: card['components'] }),
    ),
    buttonCount: buttons.length,
    unknown: [
      ...components.flatMap(({ type }) =>
        plainParts.includes(word(type)) ? [] : [{ name: `"${printable(type)}"`, button: null }],
      ),
      ...(media || ['', 'none', 'text'].includes(kind)
        ? []
        : [{ name: `"${printable(header?.['format'])}" header`, button: null }]),
      ...typesOf.flatMap(({ button, index, type }) =>
        ['url', 'otp', 'copy_code', ...plainButtons, ...actionButtons].includes(type)
          ? []
          : [{ name: `"${printable(button['type'])}" button`, button: index }],
      ),
    ],
  };
}

/**
 * Returns what the header and the body of a template take, as words to keep and compare. Values without names go by
 * number, wherever the text has it.
 */
export function takenBy(template: TemplateContent): Record<'header' | 'body', string> {
  const { named, header, body } = placeholdersOf(template);
  const words = (names: readonly string[]): string =>
    (named ? names : [...names].sort()).map((name) => `{{${name}}}`).join(', ') || 'nothing';
  return {
    header: header.kind === 'text' ? words(header.names) : header.kind === 'none' ? words([]) : header.kind,
    body: words(body),
  };
}

function namesIn(text: unknown): string[] {
  return typeof text === 'string'
    ? [...new Set([...text.matchAll(placeholderPattern)].map((match) => match[1] ?? ''))]
    : [];
}

/** Returns the items of a list that are objects. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** Returns a word of the platform in lower case; empty for what is no text. */
export function word(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
