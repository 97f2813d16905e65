import { createReadStream, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { csvCell } from '../api/core/http/csv';
import type { Ctx } from '../api/core/context';
import { AppError } from '../api/core/http/errors';
import { Fault, parseWith } from '../api/core/http/fields';
import { countryField } from '../api/core/phones';
import { fileDecoder } from '../api/core/text/decode';
import { recordSecurity } from '../api/services/identity/securityLog/service';
import { getWorkspace } from '../api/services/identity/workspaces/service';
import { readCsv } from '../api/services/resources/contacts/import/csv';
import type { RowError } from '../api/services/resources/contacts/import/rows';
import { importableFields, importContacts, type ImportResult } from '../api/services/resources/contacts/import/service';
import { ctxOf, id, type Deps } from './deps';
import { createProgress } from './progress';

interface ImportOptions {
  readonly workspace: number;
  readonly report?: string;
  readonly country?: string;
}

/** `import FILE`: contacts from a CSV file of any size, with a report of what was refused or dropped. */
export function registerImport(program: Command, deps: Deps): void {
  program
    .command('import')
    .description('Import contacts from a CSV file with a header row; rows are matched by phone or bsuid.')
    .argument('<file>', 'CSV file in UTF-8, or in UTF-16 with its mark')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .option(
      '--country <code>',
      'country of numbers without country code; "none": all have one (default: the workspace\'s)',
    )
    .option('--report <file>', 'where refused rows and dropped values are listed (default: FILE.report.csv)')
    .action(async (file: string, options: ImportOptions) => {
      const reportFile = options.report ?? `${file}.report.csv`;
      const found = await stat(file).catch(() => {
        throw new Error(`There is no file ${file} that can be read.`);
      });
      // The rows before a fault would be stored already. A pipe can be read only once.
      if (found.isFile()) for await (const text of textIn(createReadStream(file))) void text;
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        const names = new Set((await importableFields(ctx)).keys());
        const country = await countryOf(ctx, options.country);
        const source = createReadStream(file);
        const progress = createProgress('rows', deps.draw);
        const report = createReport(reportFile);
        // Before its first rows: they are stored in many transactions, and what fails half-way has changed something.
        await recordSecurity(ctx, { action: 'contacts.import', given: { file } });
        try {
          const result = await importContacts(ctx, readCsv(textIn(source), names, country), {
            maxErrors: Infinity,
            onProgress: async (counts) => {
              progress.show(counts.received, source.bytesRead / Math.max(1, found.size));
              // Written and let go chunk by chunk: a file of millions of faults is no larger in memory than a good one.
              await report.write(counts.errors.splice(0).sort((left, right) => left.row - right.row));
            },
          });
          progress.end();
          await report.close();
          if (report.lines() > 0)
            deps.note(`${report.lines()} refusals and dropped values are listed in ${reportFile}`);
          return summary(result, report.lines() > 0 ? reportFile : null);
        } catch (error) {
          progress.end();
          await report.close();
          throw error instanceof AppError && error.details.fields?.['file']
            ? new Error(error.details.fields['file'].join(' '))
            : error;
        } finally {
          source.destroy();
        }
      });
    });
}

/** Returns the country of numbers that name none. Throws for a code that is none. */
async function countryOf(ctx: Ctx, given: string | undefined): Promise<string | null> {
  if (given === undefined) return (await getWorkspace(ctx)).country;
  const code = given === 'none' || given === '' ? null : parseWith(countryField(), given);
  if (code instanceof Fault) throw new Error(code.messages.join(' '));
  return code;
}

/** Yields the text of a file. Throws, in the words of the API, where it is none. */
async function* textIn(source: ReadStream): AsyncGenerator<string> {
  const decoder = fileDecoder();
  for await (const bytes of source as AsyncIterable<Buffer>) {
    const text = decoder.decode(bytes);
    if (text.includes('\0')) throw new Error('Null characters are not allowed.');
    yield text;
  }
  yield decoder.decode();
}

function summary(result: ImportResult, report: string | null): Record<string, unknown> {
  const { received, created, updated, failed, attributes_kept: kept } = result;
  return { received, created, updated, failed, ...(kept ? { attributes_kept: kept } : {}), report };
}

/** Returns the report file, made with its first line. */
function createReport(file: string): {
  write(errors: readonly RowError[]): Promise<void>;
  close(): Promise<void>;
  lines(): number;
} {
  let handle: Awaited<ReturnType<typeof open>> | null = null;
  let lines = 0;
  return {
    lines: () => lines,
    async write(errors) {
      if (errors.length === 0) return;
      if (!handle) {
        // Customers' data: for the operator alone.
        handle = await open(file, 'w', 0o600);
        await handle.chmod(0o600);
        await handle.write('line,receiver_id,field,value,message,dropped\n');
      }
      await handle.write(
        errors
          .map(
            (error) =>
              // As a spreadsheet numbers them: the header row is the first.
              `${[error.row + 1, error.receiver_id, error.field, error.value, error.message, error.dropped]
                .map(cell)
                .join(',')}\n`,
          )
          .join(''),
      );
      lines += errors.length;
    },
    async close() {
      await handle?.close();
      handle = null;
    },
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return csvCell(typeof value === 'string' ? value : JSON.stringify(value));
}
