import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCli } from '../../admin/cli';
import { macrosPath } from '../factories/macros';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let folder: string;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  folder = await mkdtemp(path.join(tmpdir(), 'import-'));
});
afterAll(async () => {
  await desk.close();
  await rm(folder, { recursive: true, force: true });
});

async function admin(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const code = await runCli([...argv, '--workspace', String(desk.workspace.id), '--json'], {
    env: { ...desk.test.env },
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
  });
  return { code, stdout, stderr };
}

async function fileOf(name: string, text: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

it('reads numbers of the country that is given, or of the workspace', async () => {
  const file = await fileOf('home.csv', 'phone\n0151 88880001\n');
  expect(JSON.parse((await admin('import', file)).stdout)).toMatchObject({ failed: 1 });
  expect((await admin('import', file, '--country', 'Germany')).stderr).toContain('two letters');
  expect(JSON.parse((await admin('import', file, '--country', 'de')).stdout)).toMatchObject({ created: 1 });
  expect((await desk.api.get('/api/v1/contacts/4915188880001/')).status).toBe(200);
});

it('imports a file and lists what was refused', async () => {
  expect((await desk.api.post('/api/v1/custom-fields/', { name: 'seats', field_type: 'number' })).status).toBe(201);
  const phones = Array.from({ length: 1_200 }, uniquePhone);
  const lines = phones.map((phone, index) => `${phone},Name ${index},${index === 700 ? '=1+1' : index}`);
  const file = await fileOf('contacts.csv', ['phone,name,seats', ...lines, 'nobody,"x, ""y""",1', ''].join('\n'));
  const { code, stdout, stderr } = await admin('import', file);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { received: 1_201, created: 1_200, updated: 0, failed: 1, report: `${file}.report.csv` },
  ]);
  expect(stderr).toContain('2 refusals');
  // Customers' data: nobody else on the machine may read it.
  expect((await stat(`${file}.report.csv`)).mode & 0o077).toBe(0);
  expect(await readFile(`${file}.report.csv`, 'utf8')).toBe(
    `line,receiver_id,field,value,message,dropped\n702,${phones[700]?.slice(1)},seats,"'=1+1",A valid number is ` +
      `required.,true\n` +
      '1202,,phone,nobody,"Enter a valid phone number in E.164 format, for example +15551230001.",false\n',
  );
  expect((await desk.api.get(`/api/v1/contacts/${phones[3]?.slice(1)}/`)).body).toMatchObject({
    name: 'Name 3',
    custom_fields: { seats: 3 },
  });
});

it.each([
  ['no-such-file.csv', null, 'There is no file'],
  ['empty.csv', '', 'The submitted file is empty.'],
  ['columns.csv', 'name\nAl\n', 'must name a column phone'],
  [
    'windows.csv',
    Buffer.from('phone,name\n+15551230001,Zo\xeb\n', 'latin1'),
    'The file is not in UTF-8. Excel writes it',
  ],
  ['cut.csv', Buffer.from('phone,name\n+15551230001,Zo\xc3', 'latin1'), 'The file is not in UTF-8. Excel writes it'],
  ['workbook.csv', Buffer.from('504b0304140006000800000021006a6f', 'hex'), 'The file is not in UTF-8. Excel writes it'],
  [
    'unmarked.csv',
    Buffer.from('phone,name\n+15551230001,Al\n', 'utf16le'),
    'The file is not in UTF-8. Excel writes it',
  ],
  ['null.csv', 'phone,name\n+15551230001,Zo\0\n', 'Null characters are not allowed.'],
])('says what is wrong with %s', async (name, text, message) => {
  const file = text === null ? path.join(folder, name) : await fileOf(name, text);
  const { code, stdout, stderr } = await admin('import', file);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it('reads UTF-16 that says so, whatever the pieces of a pipe', async () => {
  const [one, two] = [uniquePhone(), uniquePhone()];
  const text = (phone: string, name: string): string => `\uFEFFphone\tname\r\n${phone}\t${name}\r\n`;
  const little = await fileOf('unicode.txt', Buffer.from(text(one, 'Zoë 👩‍👩‍👧'), 'utf16le'));
  const big = await fileOf('big.txt', Buffer.from(text(two, 'Çelik'), 'utf16le').swap16());
  expect([(await admin('import', little)).code, (await admin('import', big)).code]).toEqual([0, 0]);
  const names = await Promise.all([one, two].map((phone) => desk.api.get(`/api/v1/contacts/${phone.slice(1)}/`)));
  expect(names.map(({ body }) => body['name'])).toEqual(['Zoë 👩‍👩‍👧', 'Çelik']);
});

it('creates a macro from a JSON file', async () => {
  const macro = { name: 'From the shell', actions: [{ type: 'set_status', params: { status: 'resolved' } }] };
  const { code, stdout } = await admin(
    'macro',
    'create',
    '--json-file',
    await fileOf('macro.json', JSON.stringify(macro)),
  );
  expect(code).toBe(0);
  const { id } = JSON.parse(stdout) as Json;
  expect((await desk.api.get(`${macrosPath}${String(id)}/`)).body).toMatchObject(macro);

  const wrong = await admin(
    'macro',
    'create',
    '--json-file',
    await fileOf('wrong.json', JSON.stringify({ name: 'x', actions: [{ type: 'fly' }] })),
  );
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toContain('"fly" is not a valid choice');
  expect((await admin('macro', 'create', '--json-file', await fileOf('broken.json', '{'))).stderr).toContain(
    'is not JSON',
  );
});
