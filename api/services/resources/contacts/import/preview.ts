import type { Ctx } from '../../../../core/context';
import { invalidField } from '../../../../core/http/errors';
import { guessCsv, previewCsv, type CsvPreview } from './csv';
import { maxFileRows } from './schema';
import { importableFields } from './service';
import { readingTurn } from './importTurns';
import { reason } from '../../reasons';

/** Most rows of a file that are shown before it is imported (contract 5 bounds them at 100). */
const shownRows = 20;

/** The names of fields by what people call them. */
type Labels = ReadonlyMap<string, string>;

/** Says what an import of the file would read, by the code that imports it; changes nothing. */
export async function previewFile(ctx: Ctx, text: string, labels: Labels): Promise<CsvPreview> {
  const known = await knownNames(ctx, labels);
  const preview = await previewCsv(text, known, { shownRows, maxRows: maxFileRows }, readingTurn(ctx));
  if (preview.rowBytes.length === 0) throw invalidField('file', reason('noRows'));
  return preview;
}

/** Guesses what the columns of a file are: the `columns` of an import. */
export async function guessFile(ctx: Ctx, text: string, labels: Labels): Promise<string[]> {
  return guessCsv(text, await knownNames(ctx, labels));
}

/** Returns the names of the fields that a row can fill, by all that a header may call them. */
async function knownNames(ctx: Ctx, labels: Labels): Promise<Labels> {
  const names = [...(await importableFields(ctx)).keys()];
  const called = [...labels].filter(([, name]) => names.includes(name));
  return new Map([
    ...called.map(([label, name]) => [label.trim().toLowerCase(), name] as const),
    ...names.map((name) => [name, name] as const),
  ]);
}
