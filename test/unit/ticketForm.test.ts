import { editedTags } from '../../api/doors/dashboard/forms';
import type { PageRequest } from '../../api/doors/dashboard/page';
import { readTicket } from '../../api/doors/dashboard/tickets/form';

/** Reads a form in which every field was filled before. */
function read(form: Record<string, string>): Promise<Record<string, unknown>> {
  const was = Object.fromEntries(Object.keys(form).map((name) => [`was.${name}`, 'before']));
  return readTicket({
    form: { ...form, ...was },
    workspace: { timezone: 'UTC' },
    callIfPermitted: () => Promise.resolve([]),
  } as unknown as PageRequest);
}

it('reads a field by the list in which it stands: what was emptied, and a leading #', async () => {
  expect(await read({ outcome: '', parent_ticket: '', description: '', severity: '' })).toEqual({
    outcome: null,
    parent_ticket: null,
    description: '',
  });
  expect(await read({ outcome: '#1 of the week', parent_ticket: '#12', title: '#1' })).toEqual({
    outcome: '#1 of the week',
    parent_ticket: '12',
    title: '#1',
  });
});

it.each([
  ['a tag with a comma that is removed as a whole goes', 'a, b, c', 'c', ['c', 'new']],
  ['what is left of one is a tag', 'a, b, c', 'a, c', ['c', 'new', 'a']],
])('tags: %s', (_what, was, given, expected) => {
  expect(editedTags(['a, b', 'c', 'new'], was, given)).toEqual(expected);
});
