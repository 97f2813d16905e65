/** What spreadsheets begin a formula with, in its wide forms too; blanks, line breaks and marks before it count not. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;
const plainNumber = /^[+-]?[\d\s().-]+$/;

/**
 * Returns a text as a cell of a CSV file. What a spreadsheet would run as a formula gets an apostrophe before it;
 * numbers stay as they are.
 */
export function csvCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",;\n\r\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
