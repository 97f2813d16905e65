import { FormData } from 'undici';
import { createContact } from '../factories/contacts';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, sends, type DashboardBrowser } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</script>{{7*7}}`;

let desk: TestApi;
let anna: DashboardBrowser;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  for (const field of [
    { name: 'plan', label: 'Plan', field_type: 'select', options: ['free', 'pro'], applies_to: ['contacts'] },
    { name: 'seats', label: 'Seats', field_type: 'number', applies_to: ['contacts'] },
    {
      name: 'topics',
      label: 'Topics',
      field_type: 'multi_select',
      options: ['roses', 'trees'],
      applies_to: ['contacts'],
    },
  ])
    expect((await desk.api.post('/api/v1/custom-fields/', field)).status).toBe(201);
  anna = await dashboardBrowser(desk, { name: 'Anna Admin' });
});
afterEach(() => {
  expect(problemsBeside(anna.problems, 422)).toEqual([]);
});
afterAll(() => desk.close());

const read = async (handle: string): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/contacts/${encodeURIComponent(handle)}/`)).body;

test('an empty workspace says what to do; a contact is created, a wrong number is told beside its field', async () => {
  const { page } = anna;
  await anna.open('/dashboard/contacts/');
  await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Phone').fill('12');
  await page.getByLabel('Name').fill('Ben Baker');
  await page.getByLabel('Topics').selectOption(['roses', 'trees']);
  await page.getByLabel('Seats').fill('7');
  await page.getByRole('button', { name: 'Create contact' }).click();
  await page.locator('#field-phone[aria-invalid=true]').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Ben Baker');
  expect(await page.getByLabel('Topics').locator('option:checked').allTextContents()).toEqual(['roses', 'trees']);
  await expectAccessible(page);
  await anna.picture('contact new refused');
  const phone = uniquePhone();
  await page.getByLabel('Phone').fill(phone);
  await page.getByLabel('Tags').fill('vip, garden,vip');
  await page.getByRole('button', { name: 'Create contact' }).click();
  await page.getByRole('heading', { name: 'Ben Baker' }).waitFor();
  expect(await read(phone)).toMatchObject({
    name: 'Ben Baker',
    tags: ['vip', 'garden'],
    custom_fields: { seats: 7, topics: ['roses', 'trees'] },
  });
});

/** Types into a field of a contact's page, and leaves it: that saves it. */
async function fill(label: string, text: string): Promise<void> {
  const { page } = anna;
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.url().endsWith('/edit/')),
    (async () => {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press('Tab');
    })(),
  ]);
  await answer.finished();
}

test('a field saves what was typed only, so that nobody loses anything; what is wrong is told beside it', async () => {
  const { page } = anna;
  const { receiver_id: handle } = await createContact(desk.workspace, { name: 'Cleo', custom_fields: { seats: 1 } });
  await anna.open(`/dashboard/contacts/${handle}/`);
  await desk.api.patch(`/api/v1/contacts/${handle}/`, { company: 'By a colleague', custom_fields: { plan: 'pro' } });
  await desk.api.patch(`/api/v1/contacts/${handle}/`, { tags: ['c'] });
  await fill('Tags', 'd');
  await fill('Email', 'cleo@garden.test');
  await fill('Seats', '');
  await page.getByText('The contact is saved.').waitFor();
  expect(await read(handle)).toMatchObject({
    name: 'Cleo',
    email: 'cleo@garden.test',
    company: 'By a colleague',
    tags: ['c', 'd'],
    custom_fields: { plan: 'pro' },
  });
  expect((await read(handle))['custom_fields']).not.toHaveProperty('seats');
  const long = 'x'.repeat(300);
  await fill('Company', long);
  await page.locator('#field-company[aria-invalid=true]').waitFor();
  expect(await page.getByLabel('Company', { exact: true }).inputValue()).toBe(long);
  await expectAccessible(page);
  await anna.picture('contact field refused');
  expect(await read(handle)).toMatchObject({ company: 'By a colleague' });
});

test('the list searches, filters and pages; a filter that cannot be is told', async () => {
  const { page } = anna;
  const mark = `zebra${unique()}`;
  for (let index = 0; index < 52; index += 1)
    await createContact(desk.workspace, { name: `${mark} ${String(index).padStart(2, '0')}`, tags: ['herd'] });
  await anna.open('/dashboard/contacts/');
  await page.locator('input[name="search"]').fill(mark);
  await page.keyboard.press('Enter');
  await page.getByText('52 contacts').waitFor();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('link', { name: `${mark} 00` }).waitFor();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByLabel('Marketing').selectOption('true');
  await page.getByRole('heading', { name: 'No contact fits' }).waitFor();
  await page.getByRole('link', { name: 'Remove: Marketing' }).click();
  await page.getByText('52 contacts').waitFor();
  await anna.picture('contacts list');
  await anna.open('/dashboard/contacts/?assigned_member=nonsense');
  await page.getByText('Enter an id or "none".').waitFor();
});

test('an import shows its columns, its progress and the refused rows to download', async () => {
  const { page } = anna;
  await anna.open('/dashboard/contacts/import/');
  const choose = (text: string, encoding: BufferEncoding = 'utf8'): Promise<void> =>
    page
      .getByLabel('Choose a CSV file')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text, encoding) });
  const told = async (): Promise<string[]> =>
    page.locator('#preview select').evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value));
  await choose('surname,age\nOdd,3\n');
  await page.getByText('Say which column is the phone number').waitFor();
  expect(await page.getByRole('button', { name: 'Import 1 row' }).isDisabled()).toBe(true);
  // Columns by the names that programs give them, which are only guessed.
  const mailed = uniquePhone();
  await choose(
    `E-Mail;Full Name;Mobile;Firma;Tags;Birthday\nann@example.com;Ann;${mailed};Rose;a;1990\nb@x.test;;;;;\n`,
  );
  await page.getByRole('heading', { name: '2 rows in a.csv' }).waitFor();
  expect(await told()).toEqual(['email', 'name', 'phone', 'company', 'tags', '(attribute)']);
  await page.getByText('The row has no phone number.').waitFor();
  expect(await page.locator('#check dd').allTextContents()).toEqual(['1', '1']);
  await page.getByLabel('What “Birthday” is').selectOption('notes');
  await page.getByLabel('What “Tags” is').selectOption('Leave out');
  await page.locator('#start:enabled').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await page.locator('#result').textContent()).not.toContain('null');
  expect(await read(mailed)).toMatchObject({ email: 'ann@example.com', notes: '1990', tags: [], attributes: {} });
  const phones = Array.from({ length: 600 }, () => uniquePhone());
  const rows = phones.map(
    (phone, index) => `${phone},"Row ${index},\n ""x""",vip;new,${index % 2 ? 'pro' : 'free'},red`,
  );
  rows[550] = `nobody,${hostile},,,`;
  // As Excel writes it as "Unicode Text".
  await choose(`\uFEFFphone,name,tags,plan,colour\n${rows.join('\n')}\n`, 'utf16le');
  await page.getByRole('heading', { name: '600 rows in a.csv' }).waitFor();
  expect(await told()).toEqual(['phone', 'name', 'tags', 'plan', '(attribute)']);
  await page.getByText('This is no phone number.').waitFor();
  await anna.picture('contacts import preview');
  await page.getByRole('button', { name: 'Import 600 rows' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await page.locator('#result dd').allTextContents()).toEqual(['600', '599', '0', '1']);
  expect(await page.locator('img').count()).toBe(0);
  await expectAccessible(page);
  await anna.picture('contacts import done');
  const refused = async (): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the rows' }).click(),
    ]);
    return Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString();
  };
  const text = await refused();
  expect(text).toMatch(/^\uFEFF\(problem\),phone,.*\r\n"Phone: [^"]+",nobody,/);
  expect(text).toContain(`,nobody,${hostile},,,\r\n`);
  // The file of refused rows may be imported in its turn, and what it tells beside them is nobody's attribute.
  await choose(text);
  await page.getByRole('heading', { name: '1 row in a.csv' }).waitFor();
  expect((await told())[0]).toBe('');
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await refused()).toBe(text);
  expect(await read(phones[599] ?? '')).toMatchObject({
    name: 'Row 599,\n "x"',
    tags: ['vip', 'new'],
    attributes: { colour: 'red' },
  });
});

test('without scripts a file is imported as well, and the list goes out as CSV that starts no formula', async () => {
  const sam = await dashboardBrowser(desk, { scripts: false });
  const phone = uniquePhone();
  await sam.open('/dashboard/contacts/import/');
  const buffer = Buffer.from(`phone,name,company\n${phone},=1+1,"Rose, Ltd"\nnobody,x,y\n`);
  await sam.page.getByLabel('Choose a CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
  await sam.page.getByRole('button', { name: 'Import' }).click();
  await sam.page.getByRole('heading', { name: 'What was refused or left out' }).waitFor();
  const cookie = `token=${sam.token}`;
  const path = `/dashboard/contacts/export/?search=${encodeURIComponent(phone)}`;
  const { body, headers } = await desk.anonymous.get<string>(path, { cookie });
  expect(headers['content-disposition']).toMatch(/attachment; filename="contacts-.*\.csv"/);
  const lines = body.replace('\uFEFF', '').split('\r\n');
  expect(lines[0]).toBe(
    'phone,bsuid,name,email,company,notes,tags,marketing_opt_out,(username),(created_at),plan,seats,topics',
  );
  expect(lines[1]).toMatch(new RegExp(`^\\${phone},,"'=1\\+1",,"Rose, Ltd",`));
  for (const text of ['\n=1+1', '＝1+1', '＋1', '－1+1', '＠SUM(1)', '\u200b=1', ' \t=1']) {
    await desk.api.patch(`/api/v1/contacts/${phone.slice(1)}/`, { tags: [text] });
    expect((await desk.anonymous.get<string>(path, { cookie })).body).toContain(`,"'${text}",`);
  }
  // What went out comes in again: nothing is changed, and who opted out meanwhile stays so.
  await desk.api.patch(`/api/v1/contacts/${phone.slice(1)}/`, { notes: "'@home", tags: ['+vip', 'b'] });
  const form = new FormData();
  form.append('file', new Blob([(await desk.anonymous.get<string>(path, { cookie })).body]), 'contacts.csv');
  await desk.api.patch(`/api/v1/contacts/${phone.slice(1)}/`, { marketing_opt_out: true });
  const before = await read(phone);
  expect((await desk.api.post('/api/v1/contacts/bulk/', form)).body).toMatchObject({ received: 1, errors: [] });
  expect(await read(phone)).toEqual(before);
});

test('a file says before whom it opts out, and national numbers are of the country that is chosen', async () => {
  const { page } = anna;
  const handle = (await createContact(desk.workspace, {})).receiver_id;
  const national = `0151 ${String(Math.floor(Math.random() * 9_000_000) + 1_000_000)}`;
  await anna.open('/dashboard/contacts/import/');
  const buffer = Buffer.from(`Handy;Opt-out\n+${handle};yes\n${national};\n`);
  await page.getByLabel('Choose a CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
  await page.getByText('which begins with 0 and so names no country').waitFor();
  expect(await page.locator('#check dt').allTextContents()).toEqual([
    'New contacts',
    'Known, brought up to date',
    'Rows refused',
    'Opted out of marketing by this file',
  ]);
  await page.getByLabel('Numbers without a country code are of').selectOption('DE');
  await page.locator('#start:enabled').waitFor();
  expect(await page.locator('#check dd').allTextContents()).toEqual(['1', '1', '1']);
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await read(handle)).toMatchObject({ marketing_opt_out: true });
  expect(await read(`49${national.slice(1).replace(' ', '')}`)).toMatchObject({
    phone: expect.stringMatching(/^\+49151/),
  });
});

test('two contacts are merged by hand: looked for, shown beside each other, and merged after a question', async () => {
  const { page } = anna;
  const mark = `Zwilling${unique()}`;
  const kept = await createContact(desk.workspace, { name: `${mark} Eins`, tags: ['vip'] });
  const gone = await createContact(desk.workspace, { name: `${mark} Zwei`, company: 'Rose', marketing_opt_out: true });
  await anna.open(`/dashboard/contacts/${kept.receiver_id}/`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Merge with…' }).click();
  await page.getByLabel('Look for the other contact').fill(mark);
  await page.getByRole('link', { name: `${mark} Zwei` }).click();
  await page.getByText('This cannot be undone: nothing').waitFor();
  const row = async (name: string): Promise<string[]> =>
    page.getByRole('row', { name }).getByRole('cell').allTextContents();
  expect(await row('Company')).toEqual(['–', 'Rose', 'Rose']);
  expect(await row('Marketing')).toEqual(['Gets marketing', 'Opted out', 'Opted out']);
  await expectAccessible(page);
  await anna.picture('contacts merge');
  await page.getByRole('button', { name: 'Merge for good' }).click();
  await page.locator('#confirm').getByRole('button', { name: 'Merge for good' }).click();
  await page.getByText('The two contacts are one now.').waitFor();
  expect(page.url()).toContain(`/contacts/${kept.receiver_id}/`);
  expect(await read(gone.receiver_id)).toMatchObject({ id: kept.id, company: 'Rose', marketing_opt_out: true });
});

test('several are selected: tagged, taken back, opted out after a question, and written into a file', async () => {
  const { page } = anna;
  const mark = `flock${unique()}`;
  const made: { readonly receiver_id: string }[] = [];
  for (let index = 0; index < 52; index += 1)
    made.push(await createContact(desk.workspace, { name: `${mark} ${String(index).padStart(2, '0')}` }));
  const tagsOf = async (index: number): Promise<unknown> => (await read(made[index]?.receiver_id ?? ''))['tags'];
  await anna.open(`/dashboard/contacts/?search=${mark}`);
  const box = (index: number) => page.getByLabel(`Select ${mark} ${index}`);
  await box(51).check({ force: true });
  await box(50).check({ force: true });
  await page.getByText('2 selected, or').waitFor();
  await anna.picture('contacts selected');
  await page.getByLabel('Tag to add or remove').fill('geese');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByText('2 contacts changed.').waitFor();
  await page.locator('.people .tag', { hasText: 'geese' }).nth(1).waitFor();
  expect([await tagsOf(51), await tagsOf(49)]).toEqual([['geese'], []]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 contacts taken back.').waitFor();
  expect(await tagsOf(51)).toEqual([]);

  // Also from the page to which one has gone on.
  await box(51).check({ force: true });
  await page.getByLabel('Tag to add or remove').fill('swans');
  await sends(page, '/contacts/bulk/', () => page.getByRole('button', { name: 'Add tag' }).click());
  await anna.open('/dashboard/account/');
  await page.locator('.toast').getByText('1 contact changed.').waitFor();
  await page.keyboard.press('z');
  await page.locator('.toast').getByText('1 contact taken back.').waitFor();
  expect(await tagsOf(51)).toEqual([]);
  await anna.open(`/dashboard/contacts/?search=${mark}`);

  await box(51).check({ force: true });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#bulk').getByRole('button', { name: 'Export' }).click(),
  ]);
  const text = Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString();
  expect(text.trim().split('\r\n')).toHaveLength(2);
  expect(text).toContain(`${mark} 51`);

  await page.getByLabel('all 52 that match').check();
  await page.locator('#bulk').getByRole('button', { name: 'Opt out of marketing' }).click();
  await page.getByRole('heading', { name: 'Change 52 contacts?' }).waitFor();
  expect((await read(made[0]?.receiver_id ?? ''))['marketing_opt_out']).toBe(false);
  await page.locator('#confirm').getByRole('button', { name: 'Change 52' }).click();
  await page.getByText('52 contacts changed.').waitFor();
  expect((await read(made[0]?.receiver_id ?? ''))['marketing_opt_out']).toBe(true);
});

test('on touch a long press selects a person, and taps select others; none of them opens', async () => {
  const { page } = anna;
  const mark = `tap${unique()}`;
  for (const name of ['one', 'two']) await createContact(desk.workspace, { name: `${mark} ${name}` });
  const path = `/dashboard/contacts/?search=${mark}`;
  await anna.open(path);
  const touch = async (name: string, ...types: readonly string[]): Promise<void> => {
    const row = page.getByRole('link', { name: `${mark} ${name}` });
    const id = await row.getAttribute('id');
    for (const type of types)
      await page.evaluate(`document.getElementById('${id}').dispatchEvent(
        new PointerEvent('${type}', { bubbles: true, cancelable: true, pointerType: 'touch' }))`);
  };
  await touch('one', 'pointerdown');
  await page.getByText('1 selected, or').waitFor();
  await touch('one', 'pointerup', 'click');
  await touch('two', 'pointerdown', 'pointerup', 'click');
  await page.getByText('2 selected, or').waitFor();
  await touch('two', 'pointerdown', 'pointerup', 'click');
  await page.getByText('1 selected, or').waitFor();
  expect(page.url()).toContain(path);
});
