import { FormData } from 'undici';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, pageShows, problemsBeside, sends } from '../support/dashboard';
import { silentVoice } from '../support/ogg';

type Json = Record<string, unknown>;

const png = sampleFile('image').data.toString('base64');
const picture = `6${unique()}`;
let desk: TestApi;
let shop: TestWorkspace;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const component = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://x.test/i'] } };
  const body = { type: 'BODY', text: 'Look at this.' };
  const common = { language: 'en_US', category: 'UTILITY', status: 'APPROVED' };
  const templates = [{ id: picture, name: 'picture', ...common, components: [component, body] }];
  shop = await createWorkspace(desk, { account: { templates } });
  anna = createCustomer(shop, { name: 'Anna' });
  await anna.writes({ type: 'image', image: {} });
  await desk.work();
});
afterAll(() => desk.close());

/** Script: gives the box below the thread a picture, by the event that a browser gives it. */
const give = (event: 'drop' | 'paste', name: string): string => `(() => {
  const bytes = Uint8Array.from(atob('${png}'), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], '${name}', { type: 'image/png' }));
  const of = { bubbles: true, cancelable: true, ${event === 'drop' ? 'dataTransfer' : 'clipboardData'}: data };
  const target = document.querySelector('${event === 'drop' ? '#messages' : '#reply'}');
  target.dispatchEvent(${event === 'drop' ? "new DragEvent('drop', of)" : "new ClipboardEvent('paste', of)"});
})()`;

async function sent(): Promise<Json[]> {
  const { body } = await shop.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
  return body.results.filter(({ direction }) => direction === 'outbound').reverse();
}

test("a member sees a customer's picture, drags one, pastes one, attaches a voice file and plays it", async () => {
  const sam = await dashboardBrowser(desk, { workspace: shop });
  const { page } = sam;
  // The server is busy when it is asked for the first time.
  await page.route('**/media/*/', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  const loaded = `[...document.querySelectorAll('#messages img.media')].filter((one) => one.naturalWidth > 0).length`;
  await pageShows(page, `${loaded} === 1`);

  await page.evaluate(give('drop', 'dragged.png'));
  await page.locator('#attached').getByText('dragged.png', { exact: true }).waitFor();
  await page.evaluate(give('paste', 'pasted.png'));
  await page.locator('#attached').getByText('pasted.png', { exact: true }).waitFor();
  await page.getByLabel('Reply', { exact: true }).fill('Two of them');
  await sam.picture('composer with files');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await pageShows(page, `${loaded} === 3`);
  expect((await sent()).map(({ body }) => body)).toEqual([
    { type: 'image', image: { id: expect.stringMatching(/^med_/), caption: 'Two of them' } },
    { type: 'image', image: { id: expect.stringMatching(/^med_/) } },
  ]);

  await page.setInputFiles('#attach', { name: 'voice.ogg', mimeType: 'audio/ogg', buffer: silentVoice() });
  await page.locator('#attached').getByText('voice.ogg', { exact: true }).waitFor();
  await page.locator('#attached').getByText('uploading…').first().waitFor({ state: 'detached' });
  await page.getByLabel('Reply', { exact: true }).fill('Listen');
  await page.keyboard.press('Control+Enter');
  await page.locator('#messages audio').waitFor();
  await page.locator('#messages').getByText('Listen').waitFor();
  const played = await page.evaluate<number>(`(async () => {
    const audio = document.querySelector('#messages audio');
    await audio.play();
    await new Promise((resolve) => audio.addEventListener('ended', resolve));
    return audio.currentTime;
  })()`);
  expect(played).toBeGreaterThan(1.5);
  // A sound has no caption: its text is a message of its own.
  expect((await sent()).slice(2).map(({ body, media }) => [body, (media as Json | null)?.['mime_type']])).toEqual([
    [{ type: 'audio', audio: { id: expect.stringMatching(/^med_/) } }, 'audio/ogg'],
    [{ type: 'text', text: { body: 'Listen', preview_url: true } }, undefined],
  ]);
  await sam.picture('thread with files');
  expect(sam.problems).toEqual([expect.stringContaining('503')]);
  // A picture that never comes is told by its name.
  await page.evaluate(`(() => {
    const image = document.querySelector('#messages img.media');
    for (let tries = 0; tries < 4; tries += 1) image.dispatchEvent(new Event('error'));
  })()`);
  await page.getByText('Photo: could not be loaded').waitFor();
});

test('a file that cannot be sent is said by name, and one that was taken back is not sent', async () => {
  const sam = await dashboardBrowser(desk, { workspace: shop });
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  const program = { name: 'setup.exe', mimeType: 'image/png', buffer: Buffer.from('4d5a900003000000', 'hex') };
  await page.setInputFiles('#attach', program);
  await page.getByText('This kind of file cannot be sent: .exe').waitFor();
  await page.getByRole('button', { name: 'Remove setup.exe' }).click();
  // The upload ends while the mouse is down on the button: the click counts.
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/media/**', async (route) => {
    await held;
    await route.continue();
  });
  await page.setInputFiles('#attach', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') });
  await page.locator('#attached').getByText('uploading…').waitFor();
  // Nor does Ctrl+Enter send the text before its file is here.
  await page.getByLabel('Reply', { exact: true }).fill('With it');
  await page.keyboard.press('Control+Enter');
  expect(await page.getByLabel('Reply', { exact: true }).inputValue()).toBe('With it');
  await page.getByRole('button', { name: 'Remove a.txt' }).hover();
  await page.mouse.down();
  letGo();
  await page.locator('#attached').getByText('uploading…').waitFor({ state: 'detached' });
  await page.mouse.up();
  await page.locator('#attached li').waitFor({ state: 'detached' });
  await page.getByLabel('Reply', { exact: true }).fill('Without it');
  await sends(page, '/messages/', () => page.keyboard.press('Control+Enter'));
  expect((await sent()).at(-1)).toMatchObject({ body: { type: 'text', text: { body: 'Without it' } }, media: null });
});

test('a broadcast and a stage take a picture for the header of their template', async () => {
  const sam = await dashboardBrowser(desk, { workspace: shop });
  const { page } = sam;
  const file = { name: 'sale.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
  await sam.open('/dashboard/broadcasts/new/');
  await page.getByLabel('Name', { exact: true }).fill('Sale');
  await page.getByLabel('Template', { exact: true }).selectOption(picture);
  await page.getByLabel('Picture', { exact: true }).setInputFiles(file);
  await page.getByText('sale.png').waitFor();
  await page.getByLabel('Send from').selectOption(shop.account.phoneNumberId);
  await page.getByText('All contacts').click();
  await sam.picture('broadcast with a picture');
  await sends(page, '/broadcasts/', () => page.getByRole('button', { name: 'Save the draft and count' }).click());
  const { body } = await shop.api.get('/api/v1/broadcasts/');
  expect(body.results[0]).toMatchObject({ name: 'Sale', header_media: { id: expect.stringMatching(/^med_/) } });

  const pipelines = await shop.api.get('/api/v1/ticket-pipelines/');
  const [pipeline] = pipelines.body;
  const stage = pipeline?.stages[0]?.id ?? 0;
  await sam.open(`/dashboard/pipelines/${pipeline?.id ?? 0}/stages/${stage}/`);
  await page.getByLabel('Template', { exact: true }).selectOption(picture);
  await page.route('**/media/', (route) => void setTimeout(() => void route.continue(), 1_000), { times: 1 });
  await page.getByLabel('Picture', { exact: true }).setInputFiles(file);
  // While the file is on its way, nothing is sent without it.
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('sale.png').waitFor();
  await expectAccessible(page);
  await sends(page, `/stages/${stage}/`, () => page.getByRole('button', { name: 'Save', exact: true }).click());
  const { body: all } = await shop.api.get('/api/v1/ticket-pipelines/');
  expect(all[0]?.stages[0]).toMatchObject({ notify_template_media_id: expect.stringMatching(/^med_/) });
  // Without scripts its file is in the form of a stage that sends nothing from now on.
  const plain = await dashboardBrowser(desk, { workspace: shop, scripts: false });
  await plain.open(`/dashboard/pipelines/${pipeline?.id ?? 0}/stages/${stage}/`);
  await plain.page.getByLabel('Template', { exact: true }).selectOption('No message');
  await plain.page.getByRole('button', { name: 'Save', exact: true }).click();
  await plain.page.getByText('The stage is saved.').waitFor();
  expect(sam.problems).toEqual([]);
});

test('without scripts a file is sent by its form: with a text, alone, once, and again after a refusal', async () => {
  const ben = createCustomer(shop, { name: 'Ben' });
  await ben.writes('Hello');
  const of = async () => {
    const { body } = await shop.api.get<{ results: Json[] }>(`/api/v1/conversations/${ben.handle}/messages/`);
    return body.results.filter(({ direction }) => direction === 'outbound').reverse();
  };
  const sam = await dashboardBrowser(desk, { workspace: shop, scripts: false });
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${ben.handle}/`);
  await sam.picture('composer without scripts');
  const file = page.getByLabel('A file to send, up to 16 MB');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await file.setInputFiles({ name: 'Straße.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
  await page.getByLabel('Reply', { exact: true }).fill('Here it is');
  await send.click();
  await page.locator('#messages').getByText('Here it is').waitFor();
  await file.setInputFiles({ name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') });
  await send.click();
  await page.locator('#messages').getByText('terms.txt').waitFor();
  // A sound with a text is one message, too.
  await file.setInputFiles({ name: 'voice.ogg', mimeType: 'audio/ogg', buffer: silentVoice() });
  await page.getByLabel('Reply', { exact: true }).fill('Listen');
  await send.click();
  await page.locator('#messages').getByText('Listen').waitFor();
  const image = { id: expect.stringMatching(/^med_/) };
  expect((await of()).map(({ body }) => body)).toEqual([
    { type: 'image', image: { ...image, caption: 'Here it is' } },
    { type: 'document', document: { ...image, filename: 'terms.txt' } },
    { type: 'document', document: { ...image, filename: 'voice.ogg', caption: 'Listen' } },
  ]);
  // Neither nothing nor a program is sent, and what was typed stays.
  await send.click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Reply', { exact: true }).fill('A program');
  await file.setInputFiles({
    name: 'setup.exe',
    mimeType: 'image/png',
    buffer: Buffer.from('4d5a900003000000', 'hex'),
  });
  await send.click();
  await page.getByRole('alert').getByText('This kind of file cannot be sent: .exe').waitFor();
  expect(await page.getByLabel('Reply', { exact: true }).inputValue()).toBe('A program');
  // Where somebody has answered meanwhile, its file is here already.
  await file.setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') });
  await shop.api.post('/api/v1/messages/', { to: ben.handle, type: 'text', text: { body: 'I was first' } });
  await send.click();
  await page.getByRole('checkbox', { name: 'late.txt' }).waitFor();
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await page.locator('#messages').getByText('A program').waitFor();
  expect((await of()).at(-1)?.['body']).toEqual({
    type: 'document',
    document: { ...image, filename: 'late.txt', caption: 'A program' },
  });
  // Of two clicks the second is answered as the first.
  const { api } = await createSession(shop.owner);
  const { body: html } = await api.get<string>(`/dashboard/inbox/${ben.handle}/`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const twice = new FormData();
  for (const [name, value] of Object.entries({ csrf, once: 'of-two-clicks-one-goes-out', body: 'Twice' }))
    twice.set(name, value);
  twice.set('file', new File(['Dear all'], 'twice.txt', { type: 'text/plain' }));
  const answers = [1, 2].map(() => api.post(`/dashboard/inbox/${ben.handle}/messages/`, twice));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([303, 303]);
  expect((await of()).filter(({ body }) => JSON.stringify(body).includes('twice.txt'))).toHaveLength(1);
});

test('a canned reply brings its files, which are sent with its text', async () => {
  const sam = await dashboardBrowser(desk, { workspace: shop });
  const { page } = sam;
  await sam.open('/dashboard/replies/new/');
  await page.getByLabel('Shortcut', { exact: true }).fill('prices');
  await page.getByLabel('Text', { exact: true }).fill('Dear {{name}}, our prices');
  await page.getByLabel('Add files').setInputFiles([
    { name: 'prices.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
    { name: 'setup.exe', mimeType: 'image/png', buffer: Buffer.from('4d5a900003000000', 'hex') },
    { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') },
    { name: 'spare.txt', mimeType: 'text/plain', buffer: Buffer.from('Not this one') },
  ]);
  await page.getByText('This kind of file cannot be sent: .exe').waitFor();
  await page.getByLabel('spare.txt').uncheck();
  await sam.picture('canned reply with files');
  await expectAccessible(page);
  // What is refused comes back with its files.
  await page.getByLabel('Shortcut', { exact: true }).fill('our prices');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Enter letters, digits, hyphens and underscores.').first().waitFor();
  expect(await page.getByLabel('spare.txt').isChecked()).toBe(false);
  await page.getByLabel('Shortcut', { exact: true }).fill('prices');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.rows').getByText('terms.txt').waitFor();
  expect(await page.locator('.rows').getByText('spare.txt').count()).toBe(0);
  await sam.picture('canned replies with files');

  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  await page.getByLabel('Reply', { exact: true }).pressSequentially('/pri');
  await page.getByRole('option', { name: '/prices' }).waitFor();
  await sam.picture('canned reply with files offered');
  await page.keyboard.press('Enter');
  await page.locator('#attached').getByText('prices.png', { exact: true }).waitFor();
  await page.locator('#attached').getByText('terms.txt', { exact: true }).waitFor();
  expect(await page.getByLabel('Reply', { exact: true }).inputValue()).toBe('Dear Anna, our prices');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('#messages').getByText('terms.txt').first().waitFor();
  await page.locator('#sending li').first().waitFor({ state: 'detached' });
  expect((await sent()).slice(-2).map(({ body }) => body)).toEqual([
    { type: 'image', image: { id: expect.stringMatching(/^med_/), caption: 'Dear Anna, our prices' } },
    { type: 'document', document: { id: expect.stringMatching(/^med_/), filename: 'terms.txt' } },
  ]);
  // The form refused once answers with 422.
  expect(problemsBeside(sam.problems, 415, 422)).toEqual([]);
});
