import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** A page is made of many operations, of which each finds its conversation and its contact by itself. */
test('the page of a conversation asks the database nothing twice', async () => {
  await createCustomer(desk.workspace).writes('Another conversation of the list');
  const customer = createCustomer(desk.workspace, { name: 'Once Ona' });
  await customer.writes('Hello');
  const { token } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const { result, statements } = await captureStatements(() =>
    fetch(`${desk.url}/dashboard/inbox/${customer.handle}/`, { headers: { cookie: `token=${token}` } }),
  );
  expect(result.status).toBe(200);
  const reads = statements.filter(({ text }) => /^\s*SELECT/.test(text));
  expect(reads.length).toBeGreaterThan(20);
  const asked = reads.map(({ text, values }) => `${text} ${JSON.stringify(values)}`);
  expect(asked.filter((text, index) => asked.indexOf(text) < index)).toEqual([]);
});
