import path from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { root } from '../../dev/lib/launcher';
import { secondsOfRun } from '../../dev/tests/lanes';

type Tests = Parameters<Sequencer['sort']>[0];
type Sorted = Awaited<ReturnType<Sequencer['sort']>>;

/**
 * Begins with what failed last time, then with what took longest, so that nothing long is left alone at the end. Where
 * this machine remembers nothing, as in CI, it goes by what was measured elsewhere: jest goes by the length of sources.
 */
export default class MeasuredSequencer extends Sequencer {
  override async sort(tests: Tests): Promise<Sorted> {
    const sorted = await super.sort([...tests]);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const seconds = ({ path: file }: Tests[number]): number =>
      secondsOfRun(path.relative(root, file).replaceAll('\\', '/'));
    return sorted.sort((left, right) => seconds(right) - seconds(left));
  }
}
