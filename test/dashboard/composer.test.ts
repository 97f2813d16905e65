import { createCustomer, type TestCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible, holds, pageShows, problemsBeside, sends } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function writing(name: string): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('Hello');
  return customer;
}
const sentTo = async ({ handle }: TestCustomer) =>
  (await desk.api.get(`/api/v1/conversations/${handle}/messages/`)).body.results.filter(
    ({ direction }) => direction === 'outbound',
  );

test('what is asked for follows the window, and what was typed comes back', async () => {
  const ada = await writing('Window Ada');
  await desk.runtime.db.rows(
    `WITH v AS (UPDATE conversations SET active_till = now() - interval '1 hour'
       WHERE contact_id = (SELECT id FROM contacts WHERE receiver_id = $handle) RETURNING id)
     UPDATE conversation_windows w SET open_until = now() - interval '1 hour' FROM v WHERE w.conversation_id = v.id`,
    { handle: ada.handle },
  );
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${ada.handle}/`);
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
  await page.getByLabel('{{1}}').fill('T-7');
  await page.getByLabel('{{1}}').blur();
  await ada.writes('Anybody?');
  await page.locator('#composer[data-mode=text] #reply:not(:disabled)').waitFor();
  await page.getByRole('link', { name: 'Template' }).click();
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
  await holds(page, '[data-fills="body.1"]', 'T-7');
  await page.getByRole('group', { name: 'Preview' }).getByText('Your ticket T-7 is now').waitFor();
  expect(sam.problems).toEqual([]);
});

test('pictures are seen before they go, a dragged file has a place, a refused one says why', async () => {
  const bea = await writing('Files Bea');
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${bea.handle}/`);
  await page.setInputFiles('#attach', [
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
    { name: 'setup.exe', mimeType: 'image/png', buffer: Buffer.from('4d5a900003000000', 'hex') },
  ]);
  const refused = page.locator('#attached li', { hasText: 'setup.exe' });
  await refused.getByText('This kind of file cannot be sent: .exe').waitFor();
  await pageShows(page, `document.querySelector('#attached img')?.naturalWidth > 0`);
  await page.locator('#attached').getByText('uploading…').waitFor({ state: 'detached' });
  await expectAccessible(page);
  await sam.picture('composer with files');
  // The picture stays with the draft.
  await page.reload();
  await pageShows(page, `document.querySelectorAll('#attached img').length === 1`);
  const drag = (type: string) =>
    page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'x.txt', { type: 'text/plain' }));
      document.querySelector('#messages').dispatchEvent(
        new DragEvent('${type}', { bubbles: true, cancelable: true, dataTransfer: data }));
    })()`);
  await drag('dragover');
  await page.locator('#open.is-dropping').waitFor();
  await sam.picture('drop zone');
  await drag('drop');
  await page.locator('#open:not(.is-dropping)').waitFor();
  await page.locator('#attached').getByText('x.txt').waitFor();
  expect(problemsBeside(sam.problems, 415)).toEqual([]);
});

test('questions with buttons, with a list, and canned replies by a button', async () => {
  const cem = await writing('Choice Cem');
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${cem.handle}/`);
  await page.getByRole('link', { name: 'Buttons and lists' }).click();
  await page.getByLabel('Question').fill('Red or blue?');
  await page.getByLabel('Answers').fill('Red\nBlue');
  await expectAccessible(page);
  await sam.picture('composer with buttons');
  // What is typed stays while another kind is looked at.
  await page.getByRole('link', { name: 'Note', exact: true }).click();
  await page.locator('#note').waitFor();
  await page.getByRole('link', { name: 'Buttons and lists' }).click();
  await holds(page, '#choices-body', 'Red or blue?');
  await sends(page, '/messages/', () => page.getByRole('button', { name: 'Send', exact: true }).click());
  const title = (text: string, number: number) => ({ type: 'reply', reply: { id: `choice-${number}`, title: text } });
  expect((await sentTo(cem))[0]?.body).toEqual({
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Red or blue?' },
      action: { buttons: [title('Red', 1), title('Blue', 2)] },
    },
  });
  await page.locator('#composer[data-mode=text]').waitFor();
  await page.getByRole('link', { name: 'Buttons and lists' }).click();
  await holds(page, '#choices-body', '');
  await page.getByLabel('Question').fill('When?');
  await page.getByLabel('Answers').fill('Monday | before noon\nTuesday\nFriday\nSunday');
  await sends(page, '/messages/', () => page.getByLabel('Answers').press('Control+Enter'));
  expect((await sentTo(cem))[0]?.body).toMatchObject({
    interactive: {
      type: 'list',
      action: {
        button: 'Choose',
        sections: [{ rows: [{ id: 'choice-1', title: 'Monday', description: 'before noon' }, {}, {}, {}] }],
      },
    },
  });
  await page.locator('#composer[data-mode=text]').waitFor();
  await page.getByRole('button', { name: 'Canned replies' }).click();
  await holds(page, '#reply', '/');
  expect(sam.problems).toEqual([]);
});

test('a template whose answer never came goes out once, and a changed one is another message', async () => {
  const dora = await writing('Lost Dora');
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  const choose = async (): Promise<void> => {
    await sam.open(`/dashboard/inbox/${dora.handle}/?compose=template`);
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
    await page.getByLabel('{{2}}').waitFor();
  };
  const send = () => page.getByRole('button', { name: 'Send template' }).click();
  /** Sends a template that is stored, and leaves the page before that is said. */
  const sendAndLeave = async (): Promise<void> => {
    await choose();
    await page.getByLabel('{{1}}').fill('T-1');
    await page.getByLabel('{{2}}').fill('open');
    const isStored = new Promise<void>((resolve) => {
      void page.route(/\/messages\//, (route) => route.fetch().then(() => resolve()), { times: 1 });
    });
    await send();
    await isStored;
    await choose();
    await holds(page, '[data-fills="body.1"]', 'T-1');
  };
  await sendAndLeave();
  await sends(page, '/messages/', send);
  expect(await sentTo(dora)).toHaveLength(1);
  await sendAndLeave();
  await page.getByLabel('{{1}}').fill('T-2');
  await sends(page, '/messages/', send);
  expect(await sentTo(dora)).toHaveLength(3);
  expect(sam.problems).toEqual([]);
});
