import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AnySchema } from 'yup';
import { AppError } from '../../api/core/http/errors';
import { Reason, type Message } from '../../api/core/http/reasons';
import type { JsonSchema } from '../../api/core/http/shapes';
import { validate } from '../../api/core/http/validate';
import { languages, speaking } from '../../api/core/text/language';
import { refusalText } from '../../api/doors/dashboard/refusals';
import { words } from '../../api/doors/dashboard/words';
import { operations } from '../../api/operations';
import { root } from '../support/settings';
import { wrongOf } from '../support/wrongValues';

type Schema = NonNullable<(typeof operations)[number]['body']>;

/** What no kind of field takes, or each one takes in another way. */
const strange: readonly unknown[] = [
  ...[null, undefined, '', ' ', '\u200b', 'x', '12', 'a\0b', '\ud800', '${path} ${value}', '{value}', '1'.repeat(300)],
  ...[0, -1, 1.5, 2 ** 60, true, [], [null], ['x', 'x'], [{}], {}, { no: 1 }, { all: true, no: 1 }],
];

/** How deep what is wrong may lie. */
const maxDepth = 5;

/** Returns values that are wrong in themselves, or in what they hold. */
function wrongIn(json: JsonSchema, depth = 0): readonly unknown[] {
  const below = (inner: unknown): readonly unknown[] =>
    depth < maxDepth ? wrongIn((inner ?? {}) as JsonSchema, depth + 1) : [];
  const variants = [...((json['anyOf'] ?? []) as JsonSchema[]), ...((json['oneOf'] ?? []) as JsonSchema[])];
  const properties = Object.entries((json['properties'] ?? {}) as Record<string, JsonSchema>);
  // The const of a variant is what leads into it.
  const lead = Object.fromEntries(properties.flatMap(([key, own]) => ('const' in own ? [[key, own['const']]] : [])));
  return [
    ...strange,
    ...wrongOf(json),
    ...variants.flatMap((variant) => wrongIn(variant, depth)),
    ...(json['items'] === undefined ? [] : below(json['items']).map((item) => [item])),
    ...properties.flatMap(([key, own]) => below(own).map((value) => ({ ...lead, [key]: value }))),
  ];
}

/** Returns what a schema says of an input. */
function messagesOf(schema: Schema, input: Readonly<Record<string, unknown>>): readonly Message[] {
  try {
    validate(schema, input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return Object.values(error.fields ?? {}).flat();
  }
}

test('whatever a schema of an operation refuses has a key, by which it is said in every language', () => {
  const told = new Map<string, Reason>();
  const unkeyed = new Set<string>();
  const seen = new Set<unknown>();
  for (const { id, body, query } of operations)
    for (const schema of [body, query])
      for (const [name, field] of Object.entries(schema?.fields ?? {})) {
        if (seen.has(field)) continue;
        seen.add(field);
        for (const value of wrongIn((field as AnySchema).spec.meta?.json ?? {}))
          for (const message of messagesOf(schema as Schema, { [name]: value }))
            if (message instanceof Reason) told.set(message.key, message);
            else unkeyed.add(`${id}: ${name}: ${message}`);
      }
  expect([...unkeyed]).toEqual([]);
  expect(told.size).toBeGreaterThan(50);
  const said = (reason: Reason) => languages.map((language) => speaking(language, () => refusalText(reason)));
  for (const reason of told.values())
    expect([reason.key, new Set(said(reason)).size]).toEqual([reason.key, languages.length]);
});

/** The files of core and services, from the root. */
const sources = ['api/core', 'api/services'].flatMap((room) =>
  readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(room, file)),
);

/** What throws a refusal, up to its words where these are plain. */
const refusing = new RegExp(
  [
    String.raw`\bnew AppError\(\s*'\w+',`,
    String.raw`\binvalidField\(\s*(?:'\w+'|\w+),`,
    String.raw`\binvalid\(\{\s*\w+: \[`,
    String.raw`\bnew Fault\(`,
    String.raw`\b(?:conflict|notFound|parseError)\(`,
    // Some files have a short word for it.
    String.raw`\b(?:refuse|refused|wrong)\((?=\s*(['"\x60])(?:(?!\1).)*\1\s*[,+]?\s*\))`,
  ].join('|'),
  'g',
);

/** Returns the plain words of all refusals of a file. */
function plainRefusals(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(refusing)].flatMap((match) => {
    const rest = text.slice(match.index + match[0].length).trimStart();
    const plain = /^(['"`])((?:\\.|(?!\1)[^\\])*)\1/s.exec(rest);
    // One word is a key.
    return plain?.[2]?.includes(' ') ? [plain[2]] : [];
  });
}

test('whatever services refuse has a key, but for what only programs and operators are refused', () => {
  expect(sources.length).toBeGreaterThan(300);
  const plain = sources.map((file) => [file, plainRefusals(file)] as const).filter(([, texts]) => texts.length > 0);
  const onlyOfPrograms = JSON.parse(readFileSync(path.join(root, 'test/unit/programRefusals.json'), 'utf8')) as unknown;
  expect(Object.fromEntries(plain.sort())).toEqual(onlyOfPrograms);
});

test('a message in English is the text of its key, whatever stands in it', () => {
  const reason = new Reason('noChoice', words.refusals.noChoice, { value: '{value} $& ${path}' }, '0.title: ');
  expect([String(reason), JSON.stringify({ reason })]).toEqual([
    '0.title: "{value} $& ${path}" is not a valid choice.',
    String.raw`{"reason":"0.title: \"{value} $& ${'${path}'}\" is not a valid choice."}`,
  ]);
});
