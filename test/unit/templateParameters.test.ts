import type { Ctx } from '../../api/core/context';
import { AppError } from '../../api/core/http/errors';
import { refusalOf } from '../../api/services/resources/broadcasts/runs/senderStatus';
import {
  isAuthentication,
  placeholdersOf,
  type TemplateContent,
} from '../../api/services/resources/templates/requiredParts';
import {
  checkComponents,
  componentsFromVariables,
  flattenValue,
  variableProblems,
} from '../../api/services/resources/templates/parameters';

const ticketUpdate: TemplateContent = {
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}' },
    { type: 'BODY', text: 'Ticket {{1}} is {{2}} now, {{1}}.', example: { body_text: [['T-1', 'open']] } },
    { type: 'FOOTER', text: 'Bye' },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
  ],
};
const named: TemplateContent = {
  category: 'MARKETING',
  parameter_format: 'NAMED',
  components: [{ type: 'BODY', text: 'Dear {{first_name}}, take {{ amount }} off.' }],
};
const picture: TemplateContent = {
  category: 'MARKETING',
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Look' },
  ],
};
const shop: TemplateContent = {
  category: 'MARKETING',
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'BODY', text: 'Shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', url: 'https://a.example/' },
        { type: 'URL', url: 'https://a.example/{{1}}' },
        { type: 'COPY_CODE' },
      ],
    },
  ],
};
const code: TemplateContent = {
  category: 'AUTHENTICATION',
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a.example/otp?code={{1}}' }] },
  ],
};
const plain: TemplateContent = {
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  components: [{ type: 'BODY', text: 'Hi' }],
};

const text = (value: string, name?: string): Record<string, unknown> => ({
  type: 'text',
  text: value,
  ...(name ? { parameter_name: name } : {}),
});
const header = (...parameters: unknown[]): unknown => ({ type: 'header', parameters });
const body = (...parameters: unknown[]): unknown => ({ type: 'body', parameters });

function refusal(work: () => void): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const fields = (error as AppError).details.fields;
    expect((error as AppError).status).toBe(400);
    expect(Object.keys(fields ?? {})).toEqual(['template']);
    return fields?.['template']?.[0] ?? '';
  }
  throw new Error('was not refused');
}

describe('placeholdersOf', () => {
  it('counts each placeholder of a component once, in order of appearance', () => {
    expect(placeholdersOf(ticketUpdate)).toMatchObject({
      named: false,
      header: { kind: 'text', names: ['1'] },
      body: ['1', '2'],
      buttons: [],
    });
    expect(placeholdersOf(named)).toMatchObject({
      named: true,
      header: { kind: 'none' },
      body: ['first_name', 'amount'],
      buttons: [],
    });
  });

  it('finds media headers and buttons with parameters', () => {
    expect(placeholdersOf(picture).header).toEqual({ kind: 'image' });
    expect(placeholdersOf(shop).buttons).toEqual([
      { index: 1, subType: 'url' },
      { index: 2, subType: 'copy_code' },
    ]);
  });

  it('knows the code of an authentication template whose text is left out', () => {
    expect(placeholdersOf(code)).toMatchObject({
      named: false,
      header: { kind: 'none' },
      body: ['1'],
      buttons: [{ index: 0, subType: 'url' }],
    });
    expect(isAuthentication(code)).toBe(true);
    expect(isAuthentication(plain)).toBe(false);
  });

  it('takes components of any form for a template without parameters', () => {
    for (const components of [null, undefined, 'x', {}, [null, 3]]) {
      expect(placeholdersOf({ ...plain, components })).toMatchObject({
        named: false,
        header: { kind: 'none' },
        body: [],
        buttons: [],
      });
    }
  });
});

describe('checkComponents', () => {
  it('accepts what fits', () => {
    expect(() => checkComponents(ticketUpdate, [header(text('Anna')), body(text('T-1'), text('open'))])).not.toThrow();
    expect(() => checkComponents(named, [body(text('5 €', 'amount'), text('Anna', 'first_name'))])).not.toThrow();
    expect(() => checkComponents(picture, [header({ type: 'image', image: { id: '1' } })])).not.toThrow();
    expect(() => checkComponents(plain, undefined)).not.toThrow();
    expect(() => checkComponents(plain, [])).not.toThrow();
    expect(() =>
      checkComponents(ticketUpdate, [
        header(text('A')),
        body({ type: 'currency', currency: { fallback_value: '5 €' } }, text('x')),
      ]),
    ).not.toThrow();
  });

  it.each([
    [ticketUpdate, undefined, 'header: expected 1 parameter but got 0.'],
    [ticketUpdate, [header(text('A')), body(text('T-1'))], 'body: expected 2 parameters but got 1.'],
    [ticketUpdate, [header(text('A')), body(text('T-1'), text(' '))], 'body.2: the value may not be blank.'],
    [
      ticketUpdate,
      [header(text('A')), body(text('T-1'), text('a\nb'))],
      'body.2: the value may not have line breaks, tabs or more than four spaces in a row.',
    ],
    [
      ticketUpdate,
      [header(text('A')), body(text('T-1'), { type: 'image' })],
      'body.2: expected a parameter of type text.',
    ],
    [ticketUpdate, [header(text('A')), body(), body()], 'body: given more than once.'],
    [
      named,
      [body(text('Anna'), text('x', 'amount'))],
      "body.1: parameter_name is required, because the template's parameters have names.",
    ],
    [
      named,
      [body(text('Anna', 'nickname'), text('x', 'amount'))],
      'body: the template has no parameter named "nickname".',
    ],
    [named, [body(text('a', 'amount'), text('b', 'amount'))], 'body: the parameter "amount" is given more than once.'],
    [picture, [], 'header: expected 1 parameter of type image but got 0.'],
    [picture, [header(text('x'))], 'header: expected a parameter of type image.'],
    [picture, [header({ type: 'image' })], 'header: the parameter must carry an object "image".'],
    [plain, 'x', 'components: Expected a list of items.'],
    [plain, [3], 'components: Each item must be an object.'],
    [plain, [{ type: 'footer' }], 'components: "footer" is not a valid choice.'],
    [plain, [{ type: 'body', parameters: [1] }], 'body: parameters must be a list of objects.'],
    [plain, [{ type: 'body', parameters: 'ab' }], 'body: parameters must be a list of objects.'],
    [plain, [body(text('x'))], 'body: expected 0 parameters but got 1.'],
    [plain, [{ type: 'button', sub_type: 'url', index: '0' }], 'button: the template has no button at index 0.'],
    [shop, [], 'button 1: expected 1 parameter but got 0.'],
    [
      shop,
      [{ type: 'button', sub_type: 'quick_reply', index: 1, parameters: [text('x')] }],
      'button 1: sub_type must be "url".',
    ],
    [
      shop,
      [{ type: 'button', sub_type: 'url', index: '1', parameters: [text('')] }],
      'button 1: the value may not be blank.',
    ],
  ])('refuses what does not fit (%#)', (template, components, message) => {
    expect(refusal(() => checkComponents(template, components))).toBe(message);
  });
});

describe('componentsFromVariables', () => {
  it('fills header and body in order and sends nothing as an em dash', () => {
    const components = componentsFromVariables(
      ticketUpdate,
      {
        header: { '1': { source: 'field', field: 'name' } },
        body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'static', value: ' now\n\tdone ' } },
      },
      (source) => (source.source === 'static' ? source.value : source.source === 'field' ? 'Anna' : null),
    );
    expect(components).toEqual([header(text('Anna')), body(text('—'), text('now done'))]);
    expect(() => checkComponents(ticketUpdate, components)).not.toThrow();
  });

  it('gives named placeholders their names, counted in order of appearance', () => {
    expect(
      componentsFromVariables(named, { body: { '2': { source: 'static', value: '5 €' } } }, (source) =>
        source.source === 'static' ? source.value : '',
      ),
    ).toEqual([
      body(
        { type: 'text', parameter_name: 'first_name', text: '—' },
        { type: 'text', parameter_name: 'amount', text: '5 €' },
      ),
    ]);
  });

  it('puts the code of an authentication template into its button too', () => {
    const components = componentsFromVariables(
      code,
      { body: { '1': { source: 'static', value: '123456' } } },
      () => '123456',
    );
    expect(components).toEqual([
      body(text('123456')),
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('123456')] },
    ]);
    expect(() => checkComponents(code, components)).not.toThrow();
  });

  it('sends no components for a template without parameters', () => {
    expect(componentsFromVariables(plain, { body: { '1': { source: 'static', value: 'x' } } }, () => 'x')).toEqual([]);
  });
});

describe('variableProblems', () => {
  it('names placeholders that are left out and parts that cannot be filled', () => {
    expect(variableProblems(ticketUpdate, { body: { '2': { source: 'static', value: 'x' } } }).map(String)).toEqual([
      'header.1: this placeholder is required.',
      'body.1: this placeholder is required.',
    ]);
    expect(variableProblems(picture, {})).toHaveLength(1);
    expect(variableProblems(shop, {})).toHaveLength(1);
    expect(variableProblems(code, { body: { '1': { source: 'static', value: '1' } } })).toEqual([]);
  });
});

it('a busy database is no change of the template that a broadcast sends', async () => {
  const busy = new AppError('unavailable', 'The service is busy.');
  const ctx = { workspaceId: 1, runtime: { db: { row: () => Promise.reject(busy) } } } as unknown as Ctx;
  const fine = { trial_expired: false, template_status: 'APPROVED', number_status: 'CONNECTED', template_takes: null };
  const sender = { ...picture, ...fine, template_variables: {}, header_media_id: 'med_1' };
  await expect(refusalOf(ctx, sender)).rejects.toBe(busy);
});

describe('flattenValue', () => {
  it.each([
    ['a\nb\tc\r\nd', 'a b c d'],
    ['a    b', 'a b'],
    ['', '—'],
    [' \n\u200B ', '—'],
    ['\u202Eevil\u2066', 'evil'],
    ['\u0000a\u0007b', 'a b'],
    ['👨‍👩‍👧', '👨‍👩‍👧'],
    [' Zoë ', 'Zoë'],
  ])('flattens %j to %j', (raw, flat) => {
    expect(flattenValue(raw)).toBe(flat);
  });
});
