import type * as yup from 'yup';
import { isKept, parseJson } from './numbers';
import type { JsonSchema } from './shapes';

/**
 * Converts form values to those of the same request in JSON (contract 3): an object or array is a JSON text, a list may
 * be repeated keys, an empty text of a nullable field is null.
 */
export function coerceForm(schema: yup.AnyObjectSchema, raw: Record<string, unknown>): Record<string, unknown> {
  const coerced: Record<string, unknown> = { ...raw };
  for (const [key, reference] of Object.entries(schema.fields)) {
    if (!Object.hasOwn(raw, key)) continue;
    const inner = reference as yup.AnySchema;
    const types = jsonTypes(inner.spec.meta?.json ?? {});
    let value = raw[key];
    const wantsList = types.has('array');
    if (Array.isArray(value) && !wantsList && !types.has('any')) value = (value as unknown[]).at(-1);
    if (typeof value === 'string') {
      if (value === '' && inner.spec.nullable) value = null;
      else if ((wantsList || types.has('object') || types.has('any')) && /^\s*[[{"]/.test(value))
        value = parseJsonText(value);
      else if (types.has('any') && (/^(null|true|false)$/.test(value) || isJsonNumber(value)))
        value = parseJsonText(value);
      else if (wantsList && !types.has('string')) value = value === '' ? [] : [value];
    }
    coerced[key] = value;
  }
  return coerced;
}

/** Returns whether a text is a JSON number that can be stored; any other value of a form stays a text. */
function isJsonNumber(value: string): boolean {
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) && isKept(value);
}

function parseJsonText(value: string): unknown {
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function jsonTypes(json: JsonSchema): Set<string> {
  const variants = Array.isArray(json['anyOf']) ? (json['anyOf'] as JsonSchema[]) : [json];
  const names = variants.flatMap((variant) =>
    variant['type'] === undefined ? ['any'] : [variant['type']].flat(),
  ) as string[];
  return new Set(names);
}
