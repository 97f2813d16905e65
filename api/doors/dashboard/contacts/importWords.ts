import { Reason, type Message } from '../../../core/http/reasons';
import type { FieldDefinition } from '../forms';
import { refusalText } from '../refusals';
import { words } from '../words';

const { contactImport: said } = words;

/** Returns what is wrong with a row under the name by which people know its column. */
export function reworded<T extends { readonly field: string }>(problem: T, definitions: readonly FieldDefinition[]): T {
  return { ...problem, field: columnName(problem.field, definitions) };
}

/** Returns what a column is called. */
function columnName(name: string, definitions: readonly FieldDefinition[]): string {
  const known: Readonly<Record<string, string>> = said.columns;
  const own = definitions.find((definition) => definition.name === name);
  return known[name] ?? own?.label ?? (name === 'non_field_errors' ? '' : name);
}

/** Says why a row or a value is refused in the words of pages, with nothing that only programs know. */
export function rowText(message: Message): string {
  const { noNumber, noPhone, userId } = said.reasons;
  const { key = '', given = {} } = message instanceof Reason ? message : {};
  if (key === 'noIdentity') return noNumber;
  if (key === 'noPhone') return noPhone;
  // That it is no phone number, the column says.
  const { why } = given;
  if (key === 'because' && why instanceof Reason) return rowText(why);
  return refusalText(message).replace(/\b(?:bsuid|business-scoped user id)\b/g, userId);
}
