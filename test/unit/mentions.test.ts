import { fc, runs } from '../support/properties';
import { mentionedIn, mentionsIn } from '../../api/services/resources/notes/mentions';

const team = [
  { id: 1, name: 'Omar Said' },
  { id: 2, name: 'Omar Said Junior' },
  { id: 3, name: 'Lena Hoffmann' },
  { id: 4, name: 'Zoë' },
  { id: 5, name: '' },
];

it.each([
  ['@Lena, can you?', [3]],
  ['ask @lena hoffmann', [3]],
  ['@Omar', []],
  ['@Omar Said', [1]],
  ['@Omar Said Junior and @Zoë!', [2, 4]],
  ['@Lenas', []],
  ['write to lena@hoffmann.test', []],
  ['(@Lena) @Lena', [3]],
  ['@', []],
])('%s mentions %j', (body, ids) => expect(mentionedIn(body, team)).toEqual(ids));

it('two of the same name are both meant', () =>
  expect(
    mentionedIn('@Kim', [
      { id: 1, name: 'Kim' },
      { id: 2, name: 'kim' },
    ]),
  ).toEqual([1, 2]));

it('whoever is named whole is mentioned, whatever stands around', () => {
  const word = fc.constantFrom('', 'please', '!', ' — ', '@', '(');
  fc.assert(
    fc.property(word, fc.constantFrom(...team.slice(0, 4)), (before, member) => {
      expect(mentionedIn(`${before} @${member.name}`, team)).toContain(member.id);
    }),
    { numRuns: runs(100) },
  );
});

it('says where, by letters that keep their places', () => {
  const body = 'İ: @omar said, and @Zoë';
  const found = mentionsIn(body.normalize('NFC'), team);
  expect(found.map(({ from, to, ids }) => [body.slice(from, to), ids])).toEqual([
    ['@omar said', [1]],
    ['@Zoë', [4]],
  ]);
});
