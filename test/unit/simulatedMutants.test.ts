import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mutants } from '../simulation/mutants';

const root = path.resolve(__dirname, '..', '..');

describe('the mutants of the simulation', () => {
  it.each(mutants)('finds its texts once each: $name', ({ file, edits }) => {
    let source = readFileSync(path.join(root, file), 'utf8');
    for (const [find, put] of edits) {
      const parts = source.split(find);
      expect(`${find}: ${parts.length - 1} times`).toBe(`${find}: 1 times`);
      source = parts.join(put);
    }
  });

  it('are thirty or more, each by a name of its own', () => {
    const names = new Set(mutants.map(({ name }) => name));
    expect(names.size).toBe(mutants.length);
    expect(names.size).toBeGreaterThanOrEqual(30);
  });
});
