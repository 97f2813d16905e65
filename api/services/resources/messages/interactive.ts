import {
  Fault,
  choice,
  field,
  isPlainObject,
  jsonObject,
  list,
  nullable,
  object,
  parseWith,
  required,
  text,
  type Field,
} from '../../../core/http/fields';
import { pascal } from '../../../core/http/openapiSchemas';
import { mediaFields, oneSource, refined, type Json } from './contentFields';
import { reason } from '../reasons';
import type { Message } from '../../../core/http/reasons';
import { within } from '../../../core/http/fields';

/** Limits of upstream 1.3. */
const footer = nullable(object({ text: required(text({ max: 60, blank: false, trim: false })) }, 'InteractiveFooter'));
const bodyUpTo = (max: number, title: string): Field<unknown> =>
  object({ text: required(text({ max, blank: false, trim: false })) }, title) as Field<unknown>;

const headerTypes = ['text', 'image', 'video', 'document'] as const;
const headerShape = refined(
  object(
    {
      type: required(choice(headerTypes)),
      text: text({ max: 60, blank: false }),
      image: oneSource(mediaFields, 'MediaSource'),
      video: oneSource(mediaFields, 'MediaSource'),
      document: oneSource({ ...mediaFields, filename: text({ max: 240 }) }, 'NamedFile'),
    },
    'InteractiveHeader',
  ),
  (value) =>
    (value as Json)[(value as Json)['type'] as string] === undefined
      ? within(String((value as Json)['type']), reason('required'))
      : null,
);
const textHeader = object(
  {
    type: required(choice(['text'])),
    text: required(text({ max: 60, blank: false })),
  },
  'InteractiveTextHeader',
) as Field<unknown>;

const replyButton = object(
  {
    type: required(choice(['reply'])),
    reply: required(
      object(
        { id: required(text({ max: 256, blank: false })), title: required(text({ max: 20, blank: false })) },
        'Reply',
      ),
    ),
  },
  'ReplyButton',
);
const row = object(
  {
    id: required(text({ max: 200, blank: false })),
    title: required(text({ max: 24, blank: false })),
    description: text({ max: 72 }),
  },
  'ListRow',
);
const section = object({ title: text({ max: 24 }), rows: required(list(row, { min: 1, max: 10 })) }, 'ListSection');
const product = object({ product_retailer_id: required(text({ max: 200, blank: false })) }, 'ListedProduct');
const productSection = object(
  {
    title: text({ max: 24 }),
    product_items: required(list(product, { min: 1, max: 30 })),
  },
  'ProductSection',
);
const url = text({ max: 2_000, blank: false, pattern: /^https?:\/\/[^\s]+$/i, patternMessage: reason('noUrl') });

/** The `action` of each interactive type; what they have in common is in `common`. */
const actions: Readonly<Record<string, Field<unknown>>> = {
  button: object({
    buttons: required(refined(list(replyButton, { min: 1, max: 3 }), uniqueButtons)),
  }) as Field<unknown>,
  list: refined(
    object({
      button: required(text({ max: 20, blank: false })),
      sections: required(list(section, { min: 1, max: 10 })),
    }),
    listRows,
  ),
  cta_url: object({
    name: required(choice(['cta_url'])),
    parameters: required(object({ display_text: required(text({ max: 20, blank: false })), url: required(url) })),
  }) as Field<unknown>,
  location_request_message: object({ name: required(choice(['send_location'])) }) as Field<unknown>,
  flow: object({
    name: required(choice(['flow'])),
    parameters: required(
      refined(
        object({
          flow_message_version: text({ max: 8 }),
          flow_id: text({ max: 64, blank: false }),
          flow_name: text({ max: 255, blank: false }),
          flow_cta: required(text({ max: 20, blank: false })),
          flow_token: text({ max: 255 }),
          flow_action: choice(['navigate', 'data_exchange']),
          flow_action_payload: jsonObject(),
          mode: choice(['draft', 'published']),
        }),
        (value) =>
          ((value as Json)['flow_id'] === undefined) === ((value as Json)['flow_name'] === undefined)
            ? reason('oneOfTwo', { one: 'flow_id', other: 'flow_name' })
            : null,
      ),
    ),
  }) as Field<unknown>,
  product: object({
    catalog_id: required(text({ max: 64, blank: false })),
    product_retailer_id: required(text({ max: 200, blank: false })),
  }) as Field<unknown>,
  product_list: refined(
    object({
      catalog_id: required(text({ max: 64, blank: false })),
      sections: required(list(productSection, { min: 1, max: 10 })),
    }),
    (value) => {
      const sections = (value as { sections: { title?: string; product_items: unknown[] }[] }).sections;
      if (sections.length > 1 && sections.some((item) => !item.title))
        return within('sections', reason('sectionTitles'));
      return sections.reduce((sum, item) => sum + item.product_items.length, 0) > 30
        ? within('sections', reason('tooManyProducts', { max: 30 }))
        : null;
    },
  ),
  catalog_message: object({ name: required(choice(['catalog_message'])), parameters: jsonObject() }) as Field<unknown>,
  order_details: jsonObject() as Field<unknown>,
  order_status: jsonObject() as Field<unknown>,
};

const interactiveTypes = Object.keys(actions);

function common(type: string): Record<string, Field<unknown>> {
  const body = type === 'list' ? bodyUpTo(4096, 'InteractiveListBody') : bodyUpTo(1024, 'InteractiveBody');
  const header = type === 'list' || type === 'product_list' ? textHeader : headerShape;
  return {
    type: required(choice(interactiveTypes)) as Field<unknown>,
    ...(type === 'catalog_message' || type === 'product' || type === 'location_request_message'
      ? {}
      : { header: type === 'product_list' ? required(header) : nullable(header) }),
    body: type === 'product' ? nullable(body) : required(body),
    ...(type === 'location_request_message' ? {} : { footer: footer as Field<unknown> }),
    action: required(actions[type] ?? (jsonObject() as Field<unknown>)),
  };
}

const interactiveType = object({ type: required(choice(interactiveTypes)) });
const shapes = new Map(interactiveTypes.map((type) => [type, object(common(type))]));

/** An interactive message: what its `type` asks for, with the upstream's limits (upstream 1.3). */
export const interactiveField: Field<Record<string, unknown>> = field<Record<string, unknown>>(
  {
    type: 'object',
    description:
      'Reply buttons, a list, a link button, a request for the location, a flow, products, or a request to pay.',
    oneOf: interactiveTypes.map((type) => {
      const json = (shapes.get(type) as Field<unknown>).spec.meta?.json ?? {};
      return {
        title: `Interactive${pascal(type)}`,
        ...json,
        properties: { ...(json['properties'] as object), type: { const: type } },
      };
    }),
  },
  (raw) => {
    const type = parseWith(interactiveType, isPlainObject(raw) ? { type: raw['type'] } : raw);
    if (type instanceof Fault) return type;
    const shape = shapes.get(type.type);
    return shape
      ? (parseWith(shape, raw) as Record<string, unknown> | Fault)
      : new Fault(within('type', reason('required')));
  },
);

function uniqueButtons(value: unknown): Message | null {
  const replies = (value as { reply: { id: string; title: string } }[]).map((item) => item.reply);
  if (new Set(replies.map((reply) => reply.title)).size < replies.length) return reason('titlesEqual');
  return new Set(replies.map((reply) => reply.id)).size < replies.length ? reason('buttonIdsEqual') : null;
}

function listRows(value: unknown): Message | null {
  const sections = (value as { sections: { title?: string; rows: { id: string }[] }[] }).sections;
  const ids = sections.flatMap((item) => item.rows.map((entry) => entry.id));
  if (ids.length > 10) return within('sections', reason('tooManyRows', { max: 10 }));
  if (new Set(ids).size < ids.length) return within('sections', reason('rowIdsEqual'));
  return sections.length > 1 && sections.some((item) => !item.title)
    ? within('sections', reason('sectionTitles'))
    : null;
}
