import type { Ctx } from '../../api/core/context';
import { invalid } from '../../api/core/http/errors';
import type { Message } from '../../api/core/http/reasons';
import { withChoices } from '../../api/doors/mcp/suggestions';
import { reason } from '../../api/services/resources/reasons';

/** A connection that may read nothing of what could be chosen. */
const ctx = { scopes: new Set() } as unknown as Ctx;
/** One that fails where anything is read. */
const unread = {} as Ctx;

/** What is said of a custom field that is refused. */
const said = (given: Ctx, message: Message): Promise<string> =>
  withChoices(given, { custom_field: 'x' }, invalid({ custom_field: [message] }), 'Refused.');

test('choices are offered by why something is refused, not by what its words look like', async () => {
  const lookalike = reason('noChoice', { value: 'this does not exist' });
  await expect(said(unread, lookalike)).resolves.toBe('Refused.');
  await expect(said(unread, 'It does not exist.')).resolves.toBe('Refused.');
});

test.each([
  reason('gone', { value: 7 }),
  reason('gone', { value: 7 }).at('0: '),
  reason('noCustomField'),
  reason('ofFits', { what: reason('gone', { value: 7 }), fitting: '8' }),
])('a reference that leads nowhere is looked at: %s', async (message) => {
  await expect(said(unread, message)).rejects.toThrow();
  await expect(said(ctx, message)).resolves.toBe('Refused.');
});
