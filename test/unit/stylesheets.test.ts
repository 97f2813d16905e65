/*
 * The style sheets of the dashboard say nothing of their own about type, distances, corners, colours and shadows: all
 * come from the tokens of app.css, and the tokens are the scale of the design. What cannot, says why above its line:
 * "Not of the scale: …". And they name no sides of the screen, as half of the world reads from the right.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/settings';

const folder = path.join(root, 'api', 'doors', 'dashboard', 'assets');
const reason = 'Not of the scale: ';

interface Declaration {
  readonly file: string;
  readonly property: string;
  readonly value: string;
  /** Why it is no token. */
  readonly excuse: string | undefined;
}

/** Reads the declarations of a style sheet, and the reasons that stand above some. */
function declarationsOf(file: string, sheet: string): Declaration[] {
  const said = sheet.replace(/\/\*[\s\S]*?\*\//g, (comment) => (comment.includes(reason) ? comment : ''));
  return [...said.matchAll(/(?:\/\*\s*Not of the scale: ([^*]+?)\s*\*\/\s*)?(--)?([a-z][\w-]*)\s*:\s*([^;{}]+);/g)].map(
    ([, excuse, dashes = '', property = '', value = '']) => ({
      file,
      property: dashes + property,
      value: value.replace(/\s+/g, ' ').trim(),
      excuse,
    }),
  );
}

const sheets = readdirSync(folder)
  .filter((file) => file.endsWith('.css'))
  .flatMap((file) => declarationsOf(file, readFileSync(path.join(folder, file), 'utf8')));
const isToken = ({ property }: Declaration): boolean => property.startsWith('--');
/** In the sheet of all pages; a colour of a face is set by the page. */
const tokens = sheets.filter((each) => isToken(each) && each.property !== '--hue');
const ruled = sheets.filter((each) => !isToken(each));
const shown = ({ file, property, value }: Declaration): string => `${file} ${property}: ${value}`;

const px = (value: string): number => Number.parseFloat(value) * (value.endsWith('rem') ? 16 : 1);
/** The values of the tokens whose names begin so, as numbers. */
const valuesOf = (names: RegExp): number[] =>
  tokens.filter(({ property }) => names.test(property)).map(({ value }) => px(value));

test('the tokens are the scale', () => {
  expect(valuesOf(/^--(tiny|small|text|title|large)$/)).toEqual([12, 13, 14, 16, 20]);
  expect(valuesOf(/^--(regular|medium|strong)$/)).toEqual([400, 500, 600]);
  expect(valuesOf(/^--lines/)).toEqual([1.45, 1.3]);
  expect(valuesOf(/^--space-/)).toEqual([4, 8, 12, 16, 24, 32]);
  expect(valuesOf(/^--round(-small|-full)?$/)).toEqual([10, 6, 999]);
  expect([...new Set(tokens.map(({ file }) => file))]).toEqual(['app.css']);
});

/** What each part of a value may be, by what it is about. */
const allowed: readonly (readonly [about: RegExp, part: RegExp])[] = [
  [/^font-size$/, /^(inherit|var\(--(tiny|small|text|title|large)\))$/],
  [/^font$/, /^inherit$/],
  [/^font-family$/, /^var\(--(sans|mono)\)$/],
  [/^font-weight$/, /^var\(--(regular|medium|strong)\)$/],
  [/^line-height$/, /^var\(--lines(-row)?\)$/],
  [/^border(-\w+-\w+)?-radius$/, /^(0|var\(--round(-small|-tail|-full)?\))$/],
  [/^box-shadow$/, /^(none|var\(--(shadow|edge-bad|edge-accent)\))$/],
  [/^text-shadow$/, /^none$/],
  [
    /^((row-|column-)?gap|(margin|padding)(-.+)?)$/,
    /^(0|auto|!important|env\(safe-area-inset-\w+\)|var\(--space-\d+\)|calc\(-1 \* var\(--space-\d+\)\))$/,
  ],
];
/** Any colour that is written out. Those of a face are two tokens and what the page says. */
const colour = new RegExp(
  [
    '#[\\da-f]{3,8}\\b',
    '\\b(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\\((?!var\\([^)]*\\) var\\()',
    '(?<![\\w-])(white|black|red|green|gr[ea]y|blue)(?![\\w-])',
  ].join('|'),
  'i',
);

/** Parts of a value, with what stands in brackets in one. */
const partsOf = (value: string): string[] => value.match(/(?:[^\s(,]+|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];

/** What a declaration says that no token says. */
const isLoose = ({ property, value }: Declaration): boolean =>
  colour.test(value) ||
  allowed.some(([about, part]) => about.test(property) && !partsOf(value).every((each) => part.test(each)));

test.each([
  ['font-size', '15px', true],
  ['font-size', 'var(--small)', false],
  ['font', '1rem/1.5 serif', true],
  ['margin', '0 auto var(--space-4)', false],
  ['margin-block-start', '0.3rem', true],
  ['padding', 'calc(-1 * var(--space-8)) 3px', true],
  ['border', '1px solid #fff', true],
  ['background', 'rgb(0 0 0 / 4%)', true],
  ['color', 'hsl(var(--hue) var(--face-ink))', false],
  ['color', 'white', true],
  ['white-space', 'nowrap', false],
  ['box-shadow', '0 1px 2px var(--line)', true],
])('%s: %s is loose: %s', (property, value, loose) => {
  expect(isLoose({ file: '', property, value, excuse: undefined })).toBe(loose);
});

test('type, distances, corners, colours and shadows come from the tokens', () => {
  expect(ruled.length).toBeGreaterThan(1_500);
  expect(ruled.filter((each) => isLoose(each) && each.excuse === undefined).map(shown)).toEqual([]);
});

test('there are few exceptions, and each is one', () => {
  const excused = ruled.filter(({ excuse }) => excuse !== undefined);
  expect(excused.filter((each) => !isLoose(each)).map(shown)).toEqual([]);
  expect(excused.length).toBeLessThanOrEqual(5);
});

/** A side of the screen, in a property or in what it says. */
const physical = new RegExp(
  [
    '^((scroll-)?(margin|padding)|border)-(left|right|top|bottom)\\b',
    '^(left|right|top|bottom)$',
    '^border-(top|bottom)-(left|right)-radius$',
  ].join('|'),
);
const isPhysical = ({ property, value }: Declaration): boolean => {
  if (physical.test(property)) return true;
  if (/^(text-align|float|clear)$/.test(property)) return /\b(left|right)\b/.test(value);
  const [, start, , end] = partsOf(value);
  // Four values go round by the sides of the screen.
  if (/^((scroll-)?(margin|padding)|inset|border-(width|color|style))$/.test(property))
    return end !== undefined && start !== end && end !== '!important';
  return property === 'border-radius' && start !== undefined;
};

test.each([
  ['margin-left', '0', true],
  ['border-top-left-radius', '0', true],
  ['text-align', 'right', true],
  ['padding', '0 1px 2px 3px', true],
  ['padding', '0 1px 2px', false],
  ['margin-inline-start', '0', false],
  ['text-align', 'start', false],
])('%s: %s names a side of the screen: %s', (property, value, names) => {
  expect(isPhysical({ file: '', property, value, excuse: undefined })).toBe(names);
});

test('no side of the screen is named', () => {
  expect(ruled.filter(isPhysical).map(shown)).toEqual([]);
});

test('each token is used, and what is used is one', () => {
  const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const set = scripts.flatMap((file) => [
    ...readFileSync(path.join(folder, file), 'utf8').matchAll(/setProperty\(\s*'(--[\w-]+)'/g),
  ]);
  const known = new Set([...tokens.map(({ property }) => property), ...set.map(([, name = '']) => name), '--hue']);
  const used = new Set(
    sheets.flatMap(({ value }) => [...value.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name)),
  );
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !used.has(name))).toEqual([]);
});

test('both themes are the same tokens with other values', () => {
  const times = new Map<string, number>();
  for (const { property } of tokens) times.set(property, (times.get(property) ?? 0) + 1);
  const coloured = tokens.filter(({ value }) => /#|rgb\(|^\d+% \d+%$/.test(value)).map(({ property }) => property);
  expect([...new Set(coloured)].filter((name) => times.get(name) !== 2)).toEqual([]);
});
