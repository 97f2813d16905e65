/**
 * What spreadsheets begin a formula with, in its wide forms too; blanks, line breaks and marks before it count not.
 * With apostrophes before it as well: else nobody could tell theirs from ours.
 */
const formula = /^'*(?:[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])/u;
const plainNumber = /^[+-]?[\d\s().-]+$/;

function isFormula(text: string): boolean {
  return formula.test(text) && !plainNumber.test(text);
}

/**
 * Returns a text as a cell of a CSV file. What a spreadsheet would run as a formula gets an apostrophe before it;
 * numbers stay as they are.
 */
export function csvCell(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",;\n\r\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the text that `csvCell` was given, of a cell whose quotes are read already. */
export function textOfCsvCell(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}
