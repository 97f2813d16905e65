import { generalTexts } from '../../../core/http/reasons';
import type { FieldDefinition } from '../forms';
import { words } from '../words';

const { contactImport: said } = words;

/** What is wrong with a row, as an import answers it. */
interface RowProblem {
  readonly field: string;
  readonly message: string;
}

/** Returns it in the words of pages: the column by its name, and nothing that only programs know. */
export function reworded<T extends RowProblem>(problem: T, definitions: readonly FieldDefinition[]): T {
  return { ...problem, field: columnName(problem.field, definitions), message: reasonOf(problem.message) };
}

/** Returns what a column is called. */
function columnName(name: string, definitions: readonly FieldDefinition[]): string {
  const known: Readonly<Record<string, string>> = said.columns;
  const own = definitions.find((definition) => definition.name === name);
  return known[name] ?? own?.label ?? (name === 'non_field_errors' ? '' : name);
}

function reasonOf(message: string): string {
  const { noNumber, noPhone, userId } = said.reasons;
  if (message === 'This field is required unless bsuid is given.') return noNumber;
  const why = message.startsWith(generalTexts.noPhone)
    ? message.slice(generalTexts.noPhone.length).trim() || noPhone
    : message;
  return why.replace(/\b(?:bsuid|business-scoped user id)\b/g, userId);
}
