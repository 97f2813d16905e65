import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders whose subject is processes that die, and time itself. */
const exempt = ['faults', 'simulation'];
/** Each is a wait for a real clock: `desk.work()` does at once what workers would do. */
const mostWaits = 195;

/** The files of the gate and what they stand on. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return exempt.includes(entry.name) ? [] : filesOf(path.join(folder, entry.name));
    return entry.name.endsWith('.ts') && entry.name !== path.basename(__filename)
      ? [path.join(folder, entry.name)]
      : [];
  });
}

it('the gate waits for the real clock only where a workflow, a loop or a process is the subject', () => {
  const waits = filesOf(__dirname).map((file) => {
    const count = readFileSync(file, 'utf8').match(/\beventually(?:<[^>]*>)?\(/g)?.length ?? 0;
    return { file: path.relative(__dirname, file), count };
  });
  const all = waits.reduce((sum, { count }) => sum + count, 0);
  const most = waits
    .filter(({ count }) => count > 4)
    .sort((left, right) => right.count - left.count)
    .map(({ file, count }) => `${count} ${file}`);
  expect([all <= mostWaits, all, most]).toEqual([true, all, most]);
});
