import { Fault } from '../../api/core/http/fields';
import { parseVariables } from '../../api/services/resources/templates/variables';

const all = ['static', 'field', 'ticket'] as const;

describe('parseVariables', () => {
  it('takes the mapping of the specification', () => {
    const mapping = {
      header: { '1': { source: 'field', field: 'name' } },
      body: { '1': { source: 'ticket', field: 'due_date' }, '32': { source: 'static', value: 'x'.repeat(512) } },
    };
    expect(parseVariables(mapping, all)).toEqual(mapping);
    expect(parseVariables({}, all)).toEqual({});
  });

  it('takes every source and field', () => {
    const ticket = 'id title type stage pipeline priority severity assignee outcome created_date due_date';
    const bindings = [
      ...ticket.split(' ').map((field) => ({ source: 'ticket', field })),
      ...['name', 'phone', 'email', 'company'].map((field) => ({ source: 'field', field })),
    ];
    const body = Object.fromEntries(bindings.map((binding, index) => [String(index + 1), binding]));
    const mapping = { header: { '1': { source: 'static', value: 'é'.repeat(512) } }, body };
    expect(parseVariables(mapping, all)).toEqual(mapping);
    const blank = { body: { '32': { source: 'static', value: '' } } };
    expect(parseVariables(blank, all)).toEqual(blank);
  });

  it('refuses keys that a binding does not have', () => {
    expect(parseVariables({ body: { '1': { source: 'static', value: 'x', field: 'name' } } }, all)).toMatchObject({
      messages: ['body.1: field: This field is not accepted here.'],
    });
  });

  it.each([
    [{ footer: {} }, 'footer: component must be header or body.'],
    [{ body: { '33': { source: 'static', value: '' } } }, 'body.33: placeholder must be between 1 and 32.'],
    [{ body: { '0': {} } }, 'body.0: placeholder must be between 1 and 32.'],
    [{ body: { '01': {} } }, 'body.01: placeholder must be between 1 and 32.'],
    [{ body: { a: {} } }, 'body.a: placeholder must be between 1 and 32.'],
    [{ body: { '1': { source: 'other' } } }, 'body.1: source must be one of static, field, ticket.'],
    [{ header: { '1': { source: 'static', value: 7 } } }, 'header.1: value must be a string.'],
    [
      { header: { '1': { source: 'static', value: 'x'.repeat(513) } } },
      'header.1: value: Ensure this field has no more than 512 characters.',
    ],
    [
      { body: { '1': { source: 'field', field: 'password' } } },
      'body.1: field must be one of name, first_name, phone, email, company.',
    ],
    [
      { body: { '1': { source: 'ticket', field: 'description' } } },
      'body.1: field must be one of id, title, type, stage, pipeline, priority, severity, assignee, outcome, ' +
        'created_date, due_date.',
    ],
    [{ body: { '1': 'x' } }, 'body.1: Expected an object with a source.'],
    [{ header: [] }, 'header: Expected an object of placeholders.'],
    ['x', 'Expected an object with the keys header and body.'],
    [[], 'Expected an object with the keys header and body.'],
  ])('refuses %j', (raw, message) => {
    const parsed = parseVariables(raw, all);
    expect(parsed).toBeInstanceOf(Fault);
    expect((parsed as Fault).messages).toEqual([message]);
  });

  it('refuses a source that the place does not offer', () => {
    expect(
      (parseVariables({ body: { '1': { source: 'ticket', field: 'id' } } }, ['static', 'field']) as Fault).messages,
    ).toEqual(['body.1: source must be one of static, field.']);
  });
});
