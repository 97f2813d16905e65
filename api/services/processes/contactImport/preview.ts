import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { previewCsv, type CsvPreview } from './csv';
import { maxFileRows } from './schema';
import { importableFields } from './service';
import { readingTurn } from './turns';

/** Most rows of a file that are shown before it is imported: enough to see whether the columns are the right ones. */
const shownRows = 5;

/** Says what an import of the file would read, by the code that imports it; changes nothing. */
export async function previewFile(ctx: Ctx, text: string): Promise<CsvPreview> {
  const names = new Set((await importableFields(ctx)).keys());
  const preview = await previewCsv(text, names, { shownRows, maxRows: maxFileRows }, readingTurn(ctx));
  if (preview.rowBytes.length === 0) throw invalidField('file', 'The file has no rows below its header.');
  return preview;
}
