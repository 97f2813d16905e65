import { cut } from '../../api/core/text/cut';
import { expectLinear } from '../support/growth';
import { fc, runs } from '../support/properties';

const clusters = [
  'a',
  'é',
  'e\u0301',
  '👍',
  '👍🏽',
  '👨‍👩‍👧',
  '🇧🇷',
  'हिन्दी',
  '한',
  '각',
  '\r\n',
  'ﷺ',
  '\ud83d',
  '\u200b',
  ' ',
  'ก็',
];
const seen = (text: string): string[] =>
  [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment);

it('leaves no half character, is as long as fits, and what it leaves is the beginning', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...clusters), { maxLength: 30 }), fc.nat(60), (parts, max) => {
      const text = parts.join('');
      const short = cut(text, max);
      expect(short.isWellFormed()).toBe(true);
      expect([...short].length).toBeLessThanOrEqual(max);
      const [whole, left] = [seen(text.toWellFormed()), seen(short)];
      expect(left).toEqual(whole.slice(0, left.length));
      const next = whole[left.length];
      if (next !== undefined) expect([...short, ...next].length).toBeGreaterThan(max);
    }),
    { numRuns: runs(500) },
  );
});

it('cuts nothing off what fits', () => {
  expect(cut('👨‍👩‍👧', 5)).toBe('👨‍👩‍👧');
  expect(cut('👨‍👩‍👧', 4)).toBe('');
  expect(cut('\ud83d', 1)).toBe('\ufffd');
});

it('costs no more than what is left', async () => {
  for (const piece of [' *a', 'e\u0301', '😀'])
    await expectLinear(piece, 30_000, (size) => cut(piece.repeat(size), size));
});
