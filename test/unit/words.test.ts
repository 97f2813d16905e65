import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import {
  chooseLanguage,
  languages,
  refuseToSpeakToNobody,
  speaking,
  type Language,
} from '../../api/core/text/language';
import {
  formatDayHeading,
  formatDuration,
  formatMoment,
  moneyText,
  numberText,
} from '../../api/doors/dashboard/formats';
import { refusalText } from '../../api/doors/dashboard/refusals';
import { words } from '../../api/doors/dashboard/words';
import { listText } from '../../api/doors/dashboard/words/lists';
import { plural } from '../../api/doors/dashboard/words/plural';
import { generalTexts } from '../../api/core/http/reasons';
import { recordedActions } from '../../api/services/identity/securityLog/service';
import { identityTexts } from '../../api/services/identity/reasons';
import { reason, refusalTexts } from '../../api/services/resources/reasons';

const doors = path.join(__dirname, '../../api/doors');

/** Texts that are the same in English and in another language, each for a reason. */
const same: readonly (readonly [reason: string, texts: readonly string[]])[] = [
  ['names of things and of standards', ['Msgdesk', 'Passkey', 'Webhook', 'Webhooks', 'CSV', 'Flows', 'In Temporal']],
  ['what an example is called', ['Ada Lovelace', 'Ada', 'ada@example.com', 'Sev2 High']],
  ['one reason after another', ['{what} {why}']],
  ['the sign of a unit, and keys', ['min', 'Ctrl Shift Enter']],
  [
    'words that the language has taken over, or shares',
    [
      ...[
        'Agent',
        'Board',
        'Broadcast',
        'Broadcasts',
        'Details',
        'Endpoint',
        'Limit',
        'Link',
        'Log',
        'Macro',
        'Macros',
      ],
      ...[
        'Name',
        'No',
        'Normal',
        'normal',
        'optional',
        'Person',
        'Pipeline',
        'Pipelines',
        'Plan',
        'Port',
        'Single sign-on',
        'Marketing',
        'marketing',
      ],
      ...['Spam', 'spam', 'in', 'Status', 'Sticker', 'sticker', 'Text', 'Tickets', 'Video', 'video'],
    ],
  ],
];

type Leaf = readonly [name: string, value: unknown];

/** Returns all texts below an object, in a language, by their paths; a function's text is what it makes of signs. */
function leavesOf(node: object, language: Language, above = ''): Leaf[] {
  return speaking(language, () =>
    Object.entries(node).flatMap(([key, value]: [string, unknown]): Leaf[] => {
      const name = above === '' ? key : `${above}.${key}`;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return leavesOf(value, language, name);
      return [[name, value]];
    }),
  );
}

const english = new Map(leavesOf(words, 'en'));
const others = languages.filter((language) => language !== 'en');

describe('texts', () => {
  test('are read by functions of modules, not while they load', () => {
    refuseToSpeakToNobody();
    const modules = readdirSync(doors, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(tsx?|js)$/.test(name),
    );
    const loaded = modules.filter((name) => !name.includes('assets/') && !name.endsWith('.d.ts'));
    expect(loaded.length).toBeGreaterThan(150);
    const early = loaded.flatMap((name) => {
      try {
        require(path.join(doors, name));
        return [];
      } catch (error) {
        return [
          `${name}: ${
            String((error as Error).stack)
              .split('\n')
              .find((line) => /doors/.test(line)) ?? String(error)
          }`,
        ];
      }
    });
    expect(early).toEqual([]);
  });

  test.each(others)('have the placeholders of the English ones in %s', (language) => {
    const holes = (value: unknown): string[] =>
      (typeof value === 'string' ? (value.match(/\{\{?\w+\}?\}/g) ?? []) : []).toSorted();
    for (const [name, value] of leavesOf(words, language)) {
      // A refusal need not repeat what it is about.
      if (name.startsWith('refusals.')) expect(holes(english.get(name))).toEqual(expect.arrayContaining(holes(value)));
      else expect([name, holes(value)]).toEqual([name, holes(english.get(name))]);
      expect([name, typeof value, Array.isArray(value) ? value.length : 0]).toEqual([
        name,
        typeof english.get(name),
        Array.isArray(english.get(name)) ? (english.get(name) as unknown[]).length : 0,
      ]);
    }
  });

  test.each(others)('are not left English in %s', (language) => {
    const known = new Set(same.flatMap(([, texts]) => texts));
    const left = leavesOf(words, language).filter(
      ([name, value]) => typeof value === 'string' && value === english.get(name) && /[a-z]{2}/i.test(value),
    );
    expect(left.filter(([, value]) => !known.has(String(value)))).toEqual([]);
  });
});

test('whatever the log of security records has words for people', () => {
  expect(recordedActions.filter((action) => !Object.hasOwn(words.auditLog.actions, action))).toEqual([]);
});

describe('refusals', () => {
  test.each([
    [reason('required'), 'Dieses Feld ist erforderlich.'],
    [reason('tooLong', { max: 255 }), 'Höchstens 255 Zeichen.'],
    [reason('noChoice', { value: 'a (b)' }).at('0.title: '), '0.title: „a (b)“ steht nicht zur Auswahl.'],
    [reason('ofFits', { what: reason('gone', { value: 12 }), fitting: '13' }), '12 gibt es hier nicht. Es passt: 13.'],
    ['Nobody words this.', 'Nobody words this.'],
  ])('%s', (message, german) => {
    expect(speaking('de', () => refusalText(message))).toBe(german);
  });

  test('of a floor have other keys than those below it', () => {
    expect(refusalTexts).toMatchObject(identityTexts);
    expect(identityTexts).toMatchObject(generalTexts);
  });
});

describe('the language of a member', () => {
  test.each([
    ['what they chose', 'de', 'es', 'pt-BR', 'de'],
    ['else what their browser accepts', null, 'es-MX,es;q=0.9,en;q=0.8', 'de', 'es'],
    ['the most wanted first', null, 'en;q=0.5, de;q=0.9', 'es', 'de'],
    ['another form of it', null, 'pt-PT', 'de', 'pt-BR'],
    ['none that is refused', null, 'de;q=0, en;q=0.1', 'es', 'en'],
    ['else that of the workspace', null, 'fr-FR, ja', 'de', 'de'],
    ['else that of the workspace, where the browser names none', null, '*', 'es', 'es'],
    ['nothing that is not ours', 'xx', '', 'xx', 'en'],
    ['else English', null, '', null, 'en'],
  ] as const)('%s', (_name, own, accepted, workspace, chosen) => {
    expect(chooseLanguage(own, accepted, workspace)).toBe(chosen);
  });
});

describe('numbers, dates and lists', () => {
  const moment = new Date('2026-11-29T14:05:00Z');
  const now = new Date('2026-12-03T09:00:00Z');
  const said = (language: Language): unknown[] =>
    speaking(language, () => [
      numberText(1234.5),
      moneyText(1234.5, 'EUR'),
      formatMoment(moment, 'UTC', 'full', now),
      formatMoment(moment, 'UTC', 'short', now),
      formatDayHeading(now, 'UTC', now),
      formatDayHeading(new Date('2026-12-02T09:00:00Z'), 'UTC', now),
      formatDuration(93_600_000),
      formatDuration(1_000),
      listText(['A', 'B', 'C']),
      [0, 1, 2, 1200].map((count) => plural(count, { one: 'one', other: 'other' })).join(', '),
    ]);

  test('are as before in English', () =>
    expect(said('en')).toEqual([
      '1,234.5',
      '€1,234.50',
      'Sun 29 Nov, 14:05',
      '29 Nov',
      'Today',
      'Yesterday',
      '1 d 2 h',
      '< 1 min',
      'A, B, and C',
      '0 other, 1 one, 2 other, 1,200 other',
    ]));

  test('follow the language', () => {
    expect(said('de')).toEqual([
      '1.234,5',
      '1.234,50\u00a0€',
      'So., 29. Nov., 14:05',
      '29. Nov.',
      'Heute',
      'Gestern',
      '1 Tg. 2 Std.',
      '< 1 Min.',
      'A, B und C',
      '0 other, 1 one, 2 other, 1.200 other',
    ]);
    expect(said('es')).toEqual([
      '1,234.5',
      'EUR\u00a01,234.50',
      'dom, 29 nov, 14:05',
      '29 nov',
      'Hoy',
      'Ayer',
      '1 d 2 h',
      '< 1 min',
      'A, B y C',
      '0 other, 1 one, 2 other, 1,200 other',
    ]);
    expect(said('pt-BR')).toEqual([
      '1.234,5',
      '€\u00a01.234,50',
      'dom., 29 de nov., 14:05',
      '29 de nov.',
      'Hoje',
      'Ontem',
      '1 d 2 h',
      '< 1 min',
      'A, B e C',
      '0 one, 1 one, 2 other, 1.200 other',
    ]);
  });
});

/** Sentences that stand in code, each for a reason. */
const inCode: readonly (readonly [reason: string, texts: readonly string[]])[] = [
  [
    'told to programs, which send what no page does',
    [
      'Invalid email or password.',
      'JSON parse error - ',
      'Method "',
      'Sign in from the dashboard itself.',
      'The request body is too large.',
      'Too many pages listen. Close some.',
      'Unsupported media type "',
      'Unsupported media type in request.',
      'A second factor is needed: send its code, too, or sign in by the page.',
    ],
  ],
  ['what the code finds wrong with itself', ['Lucide has no icon ']],
  ['keys, and the name of the product', ['Ctrl K', '· Msgdesk']],
];

/** Returns the sentences of a file's code: what begins with a capital, and says something. */
function sentencesOf(file: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node) ? node.text.trim() : '';
    if (/^\P{L}*\p{Lu}\p{Ll}* [\s\S]*\p{Ll}|^\[\p{Ll}+ /u.test(`${text} x`) && / /.test(text)) found.push(text);
    ts.forEachChild(node, visit);
  };
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, false, kind));
  return found;
}

test('no text of a page stands in its code', () => {
  const dashboard = path.join(doors, 'dashboard');
  const files = readdirSync(dashboard, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!words\/|assets\/).*\.tsx?$/.test(name),
  );
  expect(files.length).toBeGreaterThan(150);
  const known = inCode.flatMap(([, texts]) => texts.map((text) => text.trim()));
  const found = files.flatMap((name) =>
    sentencesOf(path.join(dashboard, name))
      .filter((text) => !known.includes(text))
      .map((text) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
});

/** Names of keys, headers and browsers' own things: all that scripts write with a capital. */
const ofBrowsers = ['Enter', 'Escape', 'Tab', 'Files', 'Retry-After', 'Notification'];

test('scripts of pages hold no words of their own: all come with the page', () => {
  const assets = path.join(doors, 'dashboard/assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const spoken = scripts.flatMap((name) => {
    const code = readFileSync(path.join(assets, name), 'utf8').replaceAll(/\/\*[^]*?\*\/|(?:^| )\/\/ .*$/gm, '');
    const texts = [...code.matchAll(/'([^'\n]*)'|`([^`\n]*)`/g)].map(([, plain, filled]) => plain ?? filled ?? '');
    return texts.filter((text) => /^[A-Z][a-z]+\b|…/.test(text) && !ofBrowsers.includes(text));
  });
  expect(spoken).toEqual([]);
  expect(scripts.length).toBeGreaterThan(15);
});
