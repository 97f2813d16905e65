import { cut } from '../../core/text/cut';
import { isPage, isReply, linkedOffset } from '../../core/http/operations';

/** How long texts and lists inside of a result may be, in characters and items. */
export interface Size {
  readonly text: number;
  readonly items: number;
}

const usual: Size = { text: 1_000, items: Infinity };
/**
 * Smaller sizes, tried one by one for a single object that is too long by itself: a board of 2,500 stages, a ticket
 * with 200 long fields.
 */
const shorter: readonly Size[] = [
  { text: 200, items: 50 },
  { text: 60, items: 10 },
  { text: 60, items: 1 },
];

// Zero-width, bidirectional, tag, variation and control characters: what an agent would read there, a person does not
// see.
const invisible = new RegExp(
  '[' +
    String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5` +
    String.raw`\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0` +
    String.raw`\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}` +
    ']',
  'gu',
);
// Most texts: told in a fraction of the time.
const plain = /^[\t\n\r\x20-\x7e]*$/;

/** Fields of people and messages that tell an agent nothing. */
export const dropped: ReadonlySet<string> = new Set([
  'wallet_balance',
  'email_notify_alerts',
  'email_notify_updates',
  'referral_code',
  'referred_by',
  'pin',
  'is_truncated',
  'preview_length',
  'is_import_placeholder',
  'profile_picture',
  'receiver_profile',
  'uid',
  'locale',
  'country',
  'currency',
  'source_library_template',
  'last_login_source',
  'is_verified',
  'first_name',
  'last_name',
]);

/** Removes characters that are not shown. */
export function visible(text: string): string {
  return plain.test(text) ? text : text.replace(invisible, '');
}

/** Keys of these are the customer's or the platform's own words: none of them is one of ours to be dropped. */
const foreign = new Set(['custom_fields', 'content', 'body']);

type Json = Record<string, unknown>;

/** Returns what an agent hears of a message that it has sent: how far it is, and when it goes where that is later. */
export function sentMessage(result: unknown): Json {
  const { message_status: status, id, send_at: at } = present(result);
  return { status, message_id: id, ...(at ? { send_at: at } : {}) };
}

/**
 * A result as an agent reads it: nothing empty, no invisible characters, long texts shortened and marked, pages with
 * the cursor of the rest (contract 11: bounded, sanitised output).
 */
export function present(result: unknown, size = usual): Json {
  const value = isReply(result) ? result.value : result;
  const presenter = new Presenter(size);
  if (Array.isArray(value)) {
    const total = isReply(result) ? Number(result.headers['X-Total-Count']) : Number.NaN;
    const next = isReply(result) ? linkedOffset(result, 'next') : undefined;
    return {
      results: presenter.list(value),
      ...(Number.isNaN(total) ? {} : { total }),
      ...(next === undefined ? {} : { hint: `More results: call again with offset ${next}.` }),
    };
  }
  if (!isPage(value)) return presenter.one(value) as Json;
  const cursor = value.next?.['cursor'];
  return {
    results: presenter.list(value.items),
    ...(value.count === undefined ? {} : { total: value.count }),
    ...(cursor === undefined ? {} : { next_cursor: cursor, hint: 'More results: call again with this cursor.' }),
  };
}

/** Returns a result that fits: `tell` makes it of texts and lists of the size that it is given. */
export function fitted(tell: (size: Size) => Json, fits: (result: Json) => boolean): Json {
  const whole = tell(usual);
  if (fits(whole)) return whole;
  for (const size of shorter) {
    const told = tell(size);
    const shortened = `Shortened to fit: texts to ${size.text} characters, lists to ${size.items}.`;
    const hinted = { ...told, hint: [shortened, told['hint']].filter(Boolean).join(' ') };
    if (fits(hinted)) return hinted;
  }
  throw new Error('a result is too long in every form');
}

/** Presents the values of one result. */
class Presenter {
  /** What became of an object: the messages of a conversation all carry the same contact. */
  private readonly known = new Map<object, Json>();

  constructor(private readonly size: Size) {}

  list(values: readonly unknown[], ours = true): unknown[] {
    const shown = values.length > this.size.items ? values.slice(0, this.size.items) : values;
    return shown.map((value) => this.one(value, ours));
  }

  /** `ours`: names of properties are those of the API. */
  one(value: unknown, ours = true): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.list(value, ours);
    const before = this.known.get(value);
    if (before) return before;
    const kept: Json = {};
    for (const [key, inner] of Object.entries(value)) {
      if (isEmpty(inner) || (ours && dropped.has(key))) continue;
      const told = this.one(inner, ours && !foreign.has(key));
      if (!isEmpty(told)) kept[visible(key)] = told;
    }
    this.known.set(value, kept);
    return kept;
  }

  private text(value: string): string {
    const { text } = this.size;
    const clean = visible(value);
    const short = cut(clean, text);
    return short.length < clean.length ? `${short}… [truncated]` : short;
  }
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === '';
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
