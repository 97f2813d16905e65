import { typedResponse } from '../../api/services/resources/flows/typing';

const flow = (children: unknown[], payload: unknown = {}): unknown => ({
  screens: [
    {
      id: 'A',
      layout: { children: [{ type: 'Form', children }, { 'on-click-action': { name: 'complete', payload } }] },
    },
  ],
});

describe('a response typed by its flow', () => {
  it.each([
    ['a number', { type: 'TextInput', 'input-type': 'number', name: 'x' }, ' 12.50 ', 12.5],
    ['a number that is none', { type: 'TextInput', 'input-type': 'number', name: 'x' }, 'twelve', 'twelve'],
    [
      'a number too long to be exact',
      { type: 'TextInput', 'input-type': 'number', name: 'x' },
      '9'.repeat(20),
      '9'.repeat(20),
    ],
    ['a phone', { type: 'TextInput', 'input-type': 'phone', name: 'x' }, '0301', '0301'],
    ['an opt-in', { type: 'OptIn', name: 'x' }, 'true', true],
    ['an opt-in as it should be', { type: 'OptIn', name: 'x' }, false, false],
    ['one choice of several', { type: 'CheckboxGroup', name: 'x' }, 'a', ['a']],
    ['several choices', { type: 'ChipsSelector', name: 'x' }, ['a', 'b'], ['a', 'b']],
    ['a day', { type: 'DatePicker', name: 'x' }, '2026-11-22', '2026-11-22'],
    ['a day of an older version', { type: 'DatePicker', name: 'x' }, '1795305600000', '2026-11-22'],
    ['a day that is none', { type: 'DatePicker', name: 'x' }, 'soon', 'soon'],
  ])('%s', (_name, component, given, shown) => {
    expect(typedResponse({ x: given, other: '1' }, flow([component]))).toEqual({ x: shown, other: '1' });
  });

  it('follows the names under which the last screen submits', () => {
    const components = [
      { type: 'TextInput', 'input-type': 'number', name: 'age' },
      { type: 'TextInput', name: 'street' },
    ];
    const payload = { years: '${form.age}', age: '${form.street}', zip: '${screen.A.form.age}' };
    expect(typedResponse({ years: '7', age: '12', zip: '1' }, flow(components, payload))).toEqual({
      years: 7,
      age: '12',
      zip: 1,
    });
  });

  it.each([[null], [undefined], ['text'], [{ screens: 'no' }], [{ screens: [null, 1, { layout: [[[]]] }] }]])(
    'stays as it is with the definition %j',
    (definition) => {
      expect(typedResponse({ x: '1' }, definition)).toEqual({ x: '1' });
    },
  );
});
