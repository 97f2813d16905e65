import type * as yup from 'yup';
import { AppError, invalid, invalidField } from './errors';
import { runSchema, within } from './fields';
import { maxDepth, sendAsText, tooDeep, UnkeptNumber } from './numbers';
import { reason, type Message } from './reasons';

/** Checks an input against its schema; throws the 400 that names every wrong field. */
export function validate<S extends yup.AnyObjectSchema>(schema: S, raw: Record<string, unknown>): yup.InferType<S> {
  guard(raw, schema);
  const result = runSchema(schema, raw);
  if ('errors' in result) throw invalid(result.errors);
  return result.value as yup.InferType<S>;
}

/** Refuses what no field may carry: NUL, half characters, numbers that cannot be kept, nesting deeper than 32. */
export function guard(raw: Record<string, unknown>, schema?: yup.AnyObjectSchema): void {
  for (const [key, value] of Object.entries(raw)) {
    const field = schema && Object.hasOwn(schema.fields, key) ? (schema.fields[key] as yup.AnySchema) : undefined;
    const fault = faultOf(value, 2, field?.spec.meta?.reportsNumbers === true);
    if (fault)
      throw fault === tooDeep
        ? invalid({ non_field_errors: [fault] })
        : invalidField(key.isWellFormed() ? key.replaceAll('\0', '') : 'non_field_errors', fault);
  }
}

function faultOf(value: unknown, depth: number, reportsNumbers: boolean): Message | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return reason('nullSigns');
    return value.isWellFormed() ? null : reason('halfSigns');
  }
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof UnkeptNumber) return reportsNumbers ? null : sendAsText;
  if (depth > maxDepth) return tooDeep;
  for (const [key, inner] of Object.entries(value)) {
    const fault = faultOf(key, depth, reportsNumbers) ?? faultOf(inner, depth + 1, reportsNumbers);
    if (fault) return String(fault).endsWith(String(sendAsText)) ? within(key, fault) : fault;
  }
  return null;
}

/** Runs input handling so that only an AppError ever leaves it: a surprise in a parser is a 400, never a 500. */
export function inputBoundary<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof TypeError || error instanceof RangeError)
      throw invalid({ non_field_errors: [reason('noData')] });
    throw error;
  }
}
