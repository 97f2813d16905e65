import { FormData } from 'undici';
import { createContact } from '../factories/contacts';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, type DashboardBrowser } from '../support/dashboard';

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
  expect(anna.problems.filter((problem) => !problem.includes('422'))).toEqual([]);
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

test('saving a form changes what was typed only, so that a colleague loses nothing', async () => {
  const { page } = anna;
  const { receiver_id: handle } = await createContact(desk.workspace, { name: 'Cleo', custom_fields: { seats: 1 } });
  await anna.open(`/dashboard/contacts/${handle}/`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await desk.api.patch(`/api/v1/contacts/${handle}/`, { company: 'By a colleague', custom_fields: { plan: 'pro' } });
  await desk.api.patch(`/api/v1/contacts/${handle}/`, { tags: ['c'] });
  await page.getByLabel('Tags').fill('d');
  await page.getByLabel('Email').fill('cleo@garden.test');
  await page.getByLabel('Seats').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The contact is saved.').waitFor();
  expect(await read(handle)).toMatchObject({
    name: 'Cleo',
    email: 'cleo@garden.test',
    company: 'By a colleague',
    tags: ['c', 'd'],
    custom_fields: { plan: 'pro' },
  });
  expect((await read(handle))['custom_fields']).not.toHaveProperty('seats');
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
  await page.getByLabel('Marketing').selectOption('true');
  await page.getByRole('heading', { name: 'No contact fits' }).waitFor();
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
  await choose('surname,age\nOdd,3\n');
  await page.getByText('The header row must name a column phone, bsuid or receiver_id.').waitFor();
  expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
  // Columns by the names that spreadsheets give them; what is missing is shown as nothing.
  const mailed = uniquePhone();
  await choose(`Telephone,E-Mail\n${mailed},ann@example.com\n,ben@example.com\n`);
  await page.getByRole('heading', { name: '2 rows in a.csv' }).waitFor();
  expect(await page.locator('#preview th').allTextContents()).toEqual(['TelephonePhone', 'E-MailEmail']);
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await page.locator('#result').textContent()).not.toContain('null');
  expect(await read(mailed)).toMatchObject({ email: 'ann@example.com' });
  const phones = Array.from({ length: 600 }, () => uniquePhone());
  const rows = phones.map(
    (phone, index) => `${phone},"Row ${index},\n ""x""",vip;new,${index % 2 ? 'pro' : 'free'},red`,
  );
  rows[550] = `nobody,${hostile},,,`;
  // As Excel writes it as "Unicode Text".
  await choose(`\uFEFFphone,name,tags,plan,colour\n${rows.join('\n')}\n`, 'utf16le');
  await page.getByRole('heading', { name: '600 rows in a.csv' }).waitFor();
  expect(await page.locator('#preview th').allTextContents()).toEqual([
    'phonePhone',
    'nameName',
    'tagsTags',
    'planPlan',
    'colourkept as it is',
  ]);
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
      page.getByRole('link', { name: 'Download 1 row' }).click(),
    ]);
    return Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString();
  };
  const text = await refused();
  expect(text).toMatch(/^\uFEFF\(problem\),phone,.*\r\n"phone: [^"]+",nobody,/);
  expect(text).toContain(`,nobody,${hostile},,,\r\n`);
  // The file of refused rows may be imported in its turn, and what it tells beside them is nobody's attribute.
  await choose(text);
  await page.getByText('(problem)left out').waitFor();
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
