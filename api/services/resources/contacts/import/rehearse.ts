import type { Ctx } from '../../../../core/context';
import { getWorkspace } from '../../../identity/workspaces/service';
import { readCsv } from './csv';
import { keyOf, optOutMarks } from './marks';
import type { RowError, SourceRow } from './rows';
import { chunkRows, decideChunk, importableFields } from './service';
import { readingTurn } from './importTurns';

/** What an import of a file would do. */
export interface ImportRehearsal {
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  /** Contacts that would opt out of marketing. */
  readonly optedOut: number;
  /** Contacts that stay out, whatever the file says: they said so themselves, or did before they were erased. */
  readonly keptOut: number;
  /** Why rows are refused and values dropped, the most frequent reason first. */
  readonly problems: readonly ImportProblem[];
}

/** A reason, with the first row that it is told of. */
interface ImportProblem extends RowError {
  readonly count: number;
}

/** The most reasons that are told; each number that cannot be read has words of its own. */
const maxProblems = 20;
/** Errors of a chunk that are looked at. */
const maxErrors = 1_000;

/** Says what an import of the file would do, by the code that imports it; changes nothing, and waits for nobody. */
export async function rehearseImport(
  ctx: Ctx,
  text: string,
  columns: readonly string[],
  country?: string | null,
): Promise<ImportRehearsal> {
  const names = new Set((await importableFields(ctx)).keys());
  const home = country === undefined ? (await getWorkspace(ctx)).country : country;
  const counted = { received: 0, created: 0, failed: 0, optedOut: 0, keptOut: 0 };
  const problems = new Map<string, { first: RowError; count: number }>();
  /** Those whom earlier rows would create. */
  const made = new Set<string>();
  let chunk: SourceRow[] = [];

  const look = async (): Promise<void> => {
    const { rows, said, errors } = await decideChunk(ctx, chunk, maxErrors, false);
    counted.received += chunk.length;
    counted.failed += chunk.length - rows.length;
    const fresh = [...said.keys()].filter((target) => target.stored === null && !made.has(keyOf(target)));
    for (const target of fresh) made.add(keyOf(target));
    counted.created += fresh.length;
    const marks = await optOutMarks(ctx, fresh);
    for (const [target, { optOut }] of said) {
      const isMarked = target.stored === null && marks.has(keyOf(target));
      if (optOut && !isMarked && !target.stored?.marketing_opt_out) counted.optedOut += 1;
      if (isMarked) counted.keptOut += 1;
    }
    counted.keptOut += errors.filter(({ field, value }) => field === 'marketing_opt_out' && value === false).length;
    for (const error of errors) {
      // Numbers differ from row to row, what is wrong with them does not.
      const kind = `${error.dropped} ${error.field} ${error.message.replace(/\d{3,}/g, '#')}`;
      const known = problems.get(kind) ?? { first: error, count: 0 };
      problems.set(kind, { ...known, count: known.count + 1 });
    }
    chunk = [];
  };
  for await (const row of readCsv(text, names, home, readingTurn(ctx), columns)) {
    chunk.push(row);
    if (chunk.length >= chunkRows) await look();
  }
  if (chunk.length > 0) await look();
  const { received, created, failed, optedOut, keptOut } = counted;
  return {
    created,
    updated: received - failed - created,
    failed,
    optedOut,
    keptOut,
    problems: [...problems.values()]
      .map(({ first, count }) => ({ ...first, count }))
      .sort((left, right) => Number(left.dropped) - Number(right.dropped) || right.count - left.count)
      .slice(0, maxProblems),
  };
}
