import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { decodeFile } from '../api/core/text/decode';
import { isCalendarDay } from '../api/core/http/datetimes';
import { importRates, listRates } from '../api/services/resources/usage/rates';
import { ctxOf, group, id, recorded, type Deps } from './deps';

interface RatesOptions {
  readonly workspace: number;
  readonly from: string;
  readonly replace?: boolean;
}

/** `rates`: what the platform charges, by which a workspace's costs are reckoned. */
export function registerRates(program: Command, deps: Deps): void {
  const rates = group(program, 'rates', 'Import and list what the platform charges for messages.');
  rates
    .command('import')
    .description(
      'Import a CSV file with the columns country (two letters, or * for all others), category, rate, currency.',
    )
    .argument('<file>', 'CSV file in UTF-8, or in UTF-16 with its mark')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--from <date>', 'first day on which these rates hold, for example 2026-10-01', day)
    .option('--replace', 'forget all rates of before')
    .action(async (file: string, options: RatesOptions) => {
      const bytes = await readFile(file).catch(() => {
        throw new Error(`There is no file ${file} that can be read.`);
      });
      const csv = decodeFile(bytes);
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        const given = { csv, validFrom: options.from, replace: options.replace === true };
        return recorded(ctx, 'usage.importRates', { ...options, file }, () => importRates(ctx, given));
      });
    });
  rates
    .command('list')
    .description('List the rates of a workspace.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action((options: Pick<RatesOptions, 'workspace'>) =>
      deps.run(async (runtime) => ({ rates: await listRates(await ctxOf(runtime, options.workspace)) })),
    );
}

function day(value: string): string {
  if (!isCalendarDay(value)) throw new InvalidArgumentError('Give a date, for example 2026-10-01.');
  return value;
}
