import {
  Fault,
  field,
  integer,
  json,
  jsonObject,
  list,
  nullable,
  object,
  parseWith,
  required,
  text,
  type Field,
} from '../../../core/http/fields';
import { reason } from '../reasons';

type Json = Record<string, unknown>;

/** Kinds of a template's components that a send may fill. */
const componentTypes = ['header', 'body', 'button', 'carousel', 'limited_time_offer'];
const maxComponents = 20;
const maxParameters = 40;
const maxCards = 10;

/**
 * Returns a field whose nulls mean "not given", as many typed clients write it: at the top of the object they are left
 * out.
 */
function sparse(inner: Field<Json>): Field<Json> {
  return field<Json>(inner.spec.meta?.json ?? {}, (raw) => {
    const value = parseWith(inner, raw);
    return value instanceof Fault
      ? value
      : Object.fromEntries(Object.entries(value).filter(([, given]) => given !== null));
  });
}

/** Returns one of the words, in any case and as written. */
function wordOf(words: readonly string[]): Field<string> {
  return field<string>({ type: 'string', enum: [...words] }, (raw) => {
    const value = parseWith(text({ max: 64, blank: false }), raw);
    if (value instanceof Fault) return value;
    return words.includes(value.toLowerCase()) ? value : new Fault(reason('noChoice', { value }));
  });
}

const optionalText = (max: number): Field<string | null> => nullable(text({ max, trim: false }));
const media = nullable(
  sparse(
    object(
      { id: optionalText(255), link: optionalText(2_048), filename: optionalText(240) },
      'TemplateMedia',
    ) as Field<Json>,
  ),
);

/** A parameter; which of its values must be there depends on the template, which is asked when it is sent. */
const parameter = sparse(
  object(
    {
      type: required(text({ max: 64, blank: false })),
      parameter_name: optionalText(255),
      text: optionalText(4_096),
      currency: nullable(
        object({ fallback_value: optionalText(255), code: optionalText(8), amount_1000: nullable(integer()) }),
      ),
      date_time: nullable(object({ fallback_value: optionalText(255) })),
      image: media,
      video: media,
      document: media,
      gif: media,
      location: nullable(
        object({
          latitude: nullable(json()),
          longitude: nullable(json()),
          name: optionalText(1_000),
          address: optionalText(1_000),
        }),
      ),
      product: nullable(object({ catalog_id: optionalText(64), product_retailer_id: optionalText(200) })),
      payload: optionalText(256),
      coupon_code: optionalText(255),
      action: nullable(jsonObject()),
      limited_time_offer: nullable(object({ expiration_time_ms: nullable(integer({ min: 0 })) })),
    },
    'TemplateParameter',
  ) as Field<Json>,
);

const parts = {
  type: required(wordOf(componentTypes)),
  sub_type: optionalText(64),
  index: optionalText(4),
  parameters: nullable(list(parameter, { max: maxParameters })),
};
const card = object(
  {
    card_index: required(integer({ min: 0, max: maxCards - 1 })),
    components: required(list(sparse(object(parts, 'TemplateCardComponent') as Field<Json>), { max: maxComponents })),
  },
  'TemplateCard',
);

/** The components of a template message: what the platform knows, and nothing else. */
export const componentsField: Field<Json[]> = list(
  sparse(object({ ...parts, cards: nullable(list(card, { max: maxCards })) }, 'TemplateComponent') as Field<Json>),
  { max: maxComponents },
);
