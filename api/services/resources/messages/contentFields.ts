import {
  Fault,
  boolean,
  date,
  field,
  list,
  nullable,
  number,
  object,
  parseWith,
  required,
  text,
  type Field,
} from '../../../core/http/fields';
import { reason } from '../reasons';
import type { Message } from '../../../core/http/reasons';

export type Json = Record<string, unknown>;

const maxUrl = 2_048;

/** Returns a field with one more condition on its value; `problem` says what is wrong, or null. */
export function refined<T>(base: Field<T>, problem: (value: T) => Message | null): Field<T> {
  return field<T>(base.spec.meta?.json ?? {}, (raw) => {
    const value = parseWith(base, raw);
    if (value instanceof Fault) return value;
    const words = problem(value);
    return words === null ? value : new Fault(words);
  });
}

/** Where a media file comes from: an uploaded file's id, or a public URL (upstream 1.2). */
export const mediaFields = {
  id: text({ max: 64, blank: false, pattern: /^[A-Za-z0-9_-]+$/, patternMessage: reason('noUpload') }),
  link: text({ max: maxUrl, blank: false, pattern: /^https?:\/\/[^\s/]+/i, patternMessage: reason('noUrl') }),
};

const caption = { caption: text({ max: 1024, trim: false }) };

/** Returns an object with exactly one of `id` and `link`. */
export function oneSource<S extends Parameters<typeof object>[0]>(shape: S, title: string): Field<Json> {
  return refined(object(shape, title) as Field<Json>, (value) =>
    (value['id'] === undefined) === (value['link'] === undefined)
      ? reason('oneOfTwo', { one: 'id', other: 'link' })
      : null,
  );
}

const name = object(
  {
    formatted_name: required(text({ max: 1024, blank: false })),
    first_name: text({ max: 255 }),
    last_name: text({ max: 255 }),
    middle_name: text({ max: 255 }),
    prefix: text({ max: 255 }),
    suffix: text({ max: 255 }),
  },
  'CardName',
);

const label = text({ max: 64 });

const person = object(
  {
    name: required(name),
    phones: list(
      object({ phone: required(text({ max: 64, blank: false })), type: label, wa_id: text({ max: 32 }) }, 'CardPhone'),
      { max: 20 },
    ),
    emails: list(object({ email: required(text({ max: 254, blank: false })), type: label }, 'CardEmail'), { max: 20 }),
    addresses: list(
      object(
        {
          street: text({ max: 255 }),
          city: text({ max: 255 }),
          state: text({ max: 255 }),
          zip: text({ max: 32 }),
          country: text({ max: 255 }),
          country_code: text({ max: 8 }),
          type: label,
        },
        'CardAddress',
      ),
      { max: 20 },
    ),
    urls: list(object({ url: required(text({ max: maxUrl, blank: false })), type: label }, 'CardUrl'), { max: 20 }),
    org: nullable(
      object({ company: text({ max: 255 }), department: text({ max: 255 }), title: text({ max: 255 }) }, 'CardOrg'),
    ),
    birthday: date(),
  },
  'ContactCard',
);

function within(limit: number): Field<number> {
  return refined(number(), (value) => (Math.abs(value) > limit ? reason('notWithin', { max: limit }) : null));
}

/** The plain types with the upstream's limits (upstream 1.2); interactive and template have their own files. */
export const plainTypes = {
  text: object(
    { body: required(text({ max: 4096, blank: false, trim: false })), preview_url: boolean() },
    'TextContent',
  ),
  image: oneSource({ ...mediaFields, ...caption }, 'CaptionedMedia'),
  video: oneSource({ ...mediaFields, ...caption }, 'CaptionedMedia'),
  audio: oneSource({ ...mediaFields, voice: boolean() }, 'AudioContent'),
  document: oneSource({ ...mediaFields, ...caption, filename: text({ max: 240 }) }, 'DocumentContent'),
  sticker: oneSource(mediaFields, 'MediaSource'),
  location: object(
    {
      latitude: required(within(90)),
      longitude: required(within(180)),
      name: text({ max: 1000 }),
      address: text({ max: 1000 }),
    },
    'LocationContent',
  ),
  contacts: list(person, { min: 1, max: 257 }),
  reaction: object(
    { message_id: required(text({ max: 255, blank: false })), emoji: required(text({ max: 32 })) },
    'ReactionContent',
  ),
} as const;
