import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { boolean, choice, input, integer, list, nullable, pk, required, text } from '../../api/core/http/fields';
import { fieldOf, knownFields, readFields } from '../../api/doors/dashboard/declaredForms';
import { render, type Html } from '../../api/doors/dashboard/html';
import { Checks, Errors, Field, Form, Removal } from '../../api/doors/dashboard/parts';
import { plural } from '../../api/doors/dashboard/words/plural';

const hostile = `<img src=x onerror="a">"'&</textarea></script>`;
const escaped = '&lt;img src=x onerror=&quot;a&quot;&gt;&quot;&#39;&amp;&lt;/textarea&gt;&lt;/script&gt;';
const errors = { name: [hostile], other: [hostile] };

describe('parts of pages', () => {
  it.each<[string, Html]>([
    ['a field', Field({ name: 'name', label: hostile, value: hostile, hint: hostile, errors })],
    ['a field of lines', Field({ name: 'name', label: hostile, value: hostile, type: 'textarea' })],
    ['a box', Field({ name: 'name', label: hostile, type: 'checkbox', attributes: { title: hostile } })],
    [
      'a select',
      Field({
        name: 'name',
        label: 'a',
        type: 'select',
        options: [{ value: hostile, label: hostile }],
        value: hostile,
      }),
    ],
    [
      'boxes',
      Checks({ name: 'name', legend: hostile, options: [{ value: hostile, label: hostile, detail: hostile }] }),
    ],
    ['refusals', Errors({ errors, fields: ['name'] })],
    ['a form', Form({ action: hostile, csrf: hostile, children: hostile })],
    [
      'a button that asks',
      Removal({
        action: hostile,
        csrf: 'a',
        icon: 'trash',
        text: hostile,
        ask: { title: hostile, text: hostile, button: hostile },
      }),
    ],
  ])('escape what people wrote: %s', (_name, part) => {
    const html = render(part);
    expect(html).toContain(escaped);
    expect(html.replaceAll(/<\/textarea>/g, '')).not.toMatch(/<img|<\/script/);
    expect(html.split('</textarea>').length).toBeLessThanOrEqual(2);
  });

  it('write an attribute that does not hold as none', () => {
    const options = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ];
    expect(render(Checks({ name: 'n', legend: 'L', options, values: ['b'] }))).toMatch(
      /value="a"\/?><span.*value="b" checked(="")?\/?>/,
    );
    expect(render(Field({ name: 'n', label: 'L', type: 'checkbox', value: 'false' }))).not.toContain('checked');
    expect(render(Field({ name: 'n', label: 'L' }))).not.toMatch(/aria-|undefined|null/);
  });

  it('wait for nothing', () => {
    const later = Promise.resolve('a');
    for (const part of [later as unknown as Html, Form({ action: '/', csrf: 'a', children: later })])
      expect(() => render(part)).toThrow('waits');
  });

  it('put in HTML as it is in four files alone', () => {
    const folder = path.join(__dirname, '../../api/doors');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const uses = files.filter((file) =>
      /\bRaw\b|hono\/html|dangerouslySetInnerHTML/.test(readFileSync(path.join(folder, file), 'utf8')),
    );
    expect(uses.sort()).toEqual(['dashboard/html.tsx', 'dashboard/page.ts', 'dashboard/qrCode.tsx', 'docs/guide.tsx']);
  });
});

describe('declared forms', () => {
  const fields = {
    minutes: nullable(integer({ min: 1, max: 90 })),
    calendar: nullable(pk()),
    kinds: list(choice(['a', 'b'])),
    members: list(pk()),
    shared: boolean(),
    words: list(text({ max: 9 })),
  };
  const create = input({ name: required(text({ max: 40 })), key: required(text({ max: 8 })), ...fields });
  const update = input({ name: text({ max: 40 }), ...fields });
  const options = [{ value: 'a', label: 'A' }];
  const declared = [
    { name: 'name' },
    { name: 'key' },
    { name: 'minutes' },
    { name: 'calendar', options },
    { name: 'kinds', options },
    { name: 'members', options },
    { name: 'shared' },
    { name: 'words', as: 'lines' as const },
    { name: 'unknown' },
  ];

  it('take kind and limits from the operation', () => {
    const shown = knownFields(declared, create).map((field) => {
      const { type, attributes, required: isRequired } = fieldOf(field, { label: field.name }, '', undefined);
      return [field.name, type, attributes, isRequired ?? false];
    });
    expect(shown).toEqual([
      ['name', 'text', { maxlength: 40 }, true],
      ['key', 'text', { maxlength: 8 }, true],
      ['minutes', 'number', { min: 1, max: 90 }, false],
      ['calendar', 'select', {}, false],
      ['kinds', 'checks', {}, false],
      ['members', 'checks', {}, false],
      ['shared', 'checkbox', {}, false],
      ['words', 'textarea', {}, false],
    ]);
    // A change takes no key, and demands what making one demands.
    const changed = knownFields(declared, update, create);
    expect(changed.slice(0, 2).map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['name', 'input', true],
      ['key', 'fixed', true],
    ]);
  });

  it('are read as the operation takes them', () => {
    const form = { name: 'A', key: 'k', minutes: '', calendar: '', words: ' one \n\ntwo' };
    const sent = { kinds: ['a', 'b'], members: ['3', '4'] };
    const page = { form, all: (name: 'kinds' | 'members') => sent[name] } as unknown as Parameters<
      typeof readFields
    >[0];
    expect(readFields(page, knownFields(declared, create))).toEqual({
      ...form,
      kinds: ['a', 'b'],
      members: [3, 4],
      shared: 'false',
      words: ['one', 'two'],
    });
  });
});

it('a noun follows its number', () => {
  const forms = { one: 'run', other: 'runs' };
  expect([0, 1, 2, 1_200].map((count) => plural(count, forms))).toEqual(['0 runs', '1 run', '2 runs', '1,200 runs']);
});
