import { once } from 'node:events';
import { csvCell } from '../../core/http/csv';
import { textOf } from './forms';
import { handled, type Handled, type PageRequest } from './page';

/** A list as operations give it to pages. */
interface ListPart<T> {
  readonly items: readonly T[];
  readonly next: Readonly<Record<string, string>> | null;
}

/** Returns one line of a CSV file. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map((cell) => csvCell(textOf(cell))).join(',')}\r\n`;
}

/** Writes a list as a CSV file, page by page, so that only one page is in memory. */
export async function sendCsv<T>(
  page: PageRequest,
  file: { readonly name: string; readonly columns: readonly string[]; readonly cellsOf: (item: T) => unknown[] },
  read: (more: Readonly<Record<string, string>>) => Promise<ListPart<T>>,
): Promise<Handled> {
  const { res } = page.req;
  if (!res) throw new Error('the request has no response');
  // The first page is read before anything is written, so that a refusal is still a page.
  let found = await read({});
  const day = page.now.toISOString().slice(0, 10);
  res
    .status(200)
    .setHeader('Content-Type', 'text/csv; charset=utf-8')
    .setHeader('Content-Disposition', `attachment; filename="${file.name}-${day}.csv"`)
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Cache-Control', 'no-store');
  res.write(`\uFEFF${csvLine(file.columns)}`);
  for (;;) {
    const text = found.items.map((item) => csvLine(file.cellsOf(item))).join('');
    if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    if (!found.next || res.closed || res.destroyed) break;
    found = await read(found.next);
  }
  res.end();
  return handled;
}
