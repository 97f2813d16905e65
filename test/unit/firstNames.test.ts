import { firstNameOf } from '../../api/services/resources/contacts/contactValues';
import { resolveForRecipient } from '../../api/services/resources/messages/templates';
import { parseVariables } from '../../api/services/resources/templates/variables';

test.each([
  ['Ada Lovelace', 'Ada'],
  ['Smith, Anton', 'Anton'],
  ['García,María José', 'María José'],
  ['  Zoë\u00a0Ward', 'Zoë'],
  ['Smith,', 'Smith'],
  ['陈小明', '陈小明'],
  ['', ''],
])('of %j the first name is %j', (name, first) => {
  expect(firstNameOf(name)).toBe(first);
});

test('a default stands where a field is empty, of contacts and tickets, and nowhere else', () => {
  const contact = { name: 'Smith, Anton', phone: '49151', bsuid: null, email: ' ', company: '' };
  const field = (name: 'first_name' | 'email' | 'company'): string =>
    resolveForRecipient({ source: 'field', field: name, default: 'friend' }, contact);
  expect([field('first_name'), field('email'), field('company')]).toEqual(['Anton', 'friend', 'friend']);
  expect(resolveForRecipient({ source: 'field', field: 'company' }, contact)).toBe('');
  const due = { source: 'ticket', field: 'due_date', default: 'soon' } as const;
  expect([resolveForRecipient(due, contact, { due_date: '' }), resolveForRecipient(due, contact)]).toEqual([
    'soon',
    'soon',
  ]);
});

test('a default is a text of the size of others, and no static text has one', () => {
  const read = (binding: object): unknown => parseVariables({ body: { 1: binding } }, ['static', 'field']);
  expect(read({ source: 'field', field: 'first_name', default: 'friend' })).toEqual({
    body: { 1: { source: 'field', field: 'first_name', default: 'friend' } },
  });
  for (const wrong of [
    { source: 'field', field: 'name', default: 1 },
    { source: 'field', field: 'name', default: 'x'.repeat(513) },
    { source: 'static', value: 'a', default: 'b' },
  ])
    expect(read(wrong)).toHaveProperty('messages');
});
