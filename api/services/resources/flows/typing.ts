import { isCalendarDay } from '../../../core/http/datetimes';
import { isPlainObject } from '../../../core/http/fields';

type Json = Record<string, unknown>;
type Kind = 'number' | 'boolean' | 'list' | 'date';

/** Deeper than any layout of a flow nests. */
const maxDepth = 20;
const kinds: Readonly<Record<string, Kind>> = {
  OptIn: 'boolean',
  CheckboxGroup: 'list',
  ChipsSelector: 'list',
  DatePicker: 'date',
};
/** `${form.age}` and `${screen.DETAILS.form.age}` name the field `age`. */
const formValue = /^\$\{(?:screen\.[A-Za-z0-9_]+\.)?form\.([A-Za-z0-9_]+)\}$/;

/**
 * Returns a response with values of the types that the flow's fields have: numbers of number inputs, days of date
 * pickers, lists of checkboxes, booleans of opt-ins. What does not fit its field, or has none, stays as it came.
 */
export function typedResponse(response: Json, flowJson: unknown): Json {
  const fields = fieldKinds(flowJson);
  if (fields.size === 0) return response;
  return Object.fromEntries(
    Object.entries(response).map(([key, value]) => {
      const kind = fields.get(key);
      return [key, kind === undefined ? value : (convert(value, kind) ?? value)];
    }),
  );
}

/** The kinds of a flow's answers by the keys under which they are submitted. */
function fieldKinds(flowJson: unknown): ReadonlyMap<string, Kind> {
  const fields = new Map<string, Kind>();
  const payloads: Json[] = [];
  const screens =
    isPlainObject(flowJson) && Array.isArray(flowJson['screens']) ? (flowJson['screens'] as unknown[]) : [];
  for (const screen of screens) collect(screen, fields, payloads, 0);
  // The last screen says under which key it submits which field.
  const byKey = new Map(fields);
  for (const payload of payloads)
    for (const [key, value] of Object.entries(payload)) {
      const field = typeof value === 'string' ? formValue.exec(value)?.[1] : undefined;
      const kind = field === undefined ? undefined : fields.get(field);
      if (kind) byKey.set(key, kind);
      else byKey.delete(key);
    }
  return byKey;
}

function collect(node: unknown, fields: Map<string, Kind>, payloads: Json[], depth: number): void {
  if (depth > maxDepth) return;
  if (Array.isArray(node)) {
    for (const item of node as unknown[]) collect(item, fields, payloads, depth + 1);
    return;
  }
  if (!isPlainObject(node)) return;
  const { type, name } = node;
  const kind = type === 'TextInput' && node['input-type'] === 'number' ? 'number' : kinds[String(type)];
  if (kind && typeof name === 'string') fields.set(name, kind);
  const action = node['on-click-action'];
  if (isPlainObject(action) && action['name'] === 'complete' && isPlainObject(action['payload']))
    payloads.push(action['payload']);
  for (const inner of Object.values(node)) if (typeof inner === 'object') collect(inner, fields, payloads, depth + 1);
}

function convert(value: unknown, kind: Kind): unknown {
  if (kind === 'list') return typeof value === 'string' && value !== '' ? [value] : undefined;
  if (typeof value !== 'string') return kind === 'date' && typeof value === 'number' ? day(value) : undefined;
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim()) ? Number(value) : undefined;
  if (kind === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  // Older versions submit the day as milliseconds.
  return !isCalendarDay(value) && /^\d{9,14}$/.test(value) ? day(Number(value)) : undefined;
}

function day(milliseconds: number): string | undefined {
  return Math.abs(milliseconds) < 8e15 ? new Date(milliseconds).toISOString().slice(0, 10) : undefined;
}
