import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { loadConfig } from '../../api/core/config';
import { cleanFilename, contentOf, maxBytesOf } from '../../api/core/files/contents';
import { createFileStore } from '../../api/core/files/create';
import { FileTooLarge, inspectFile } from '../../api/core/files/inspect';
import { FileStoreError, type FileStore } from '../../api/core/files/store';
import { mediaOf } from '../../api/doors/dashboard/inbox/media';
import { root } from '../support/settings';
import { startS3, type S3Server } from '../support/s3';
import { itOnSmallDisk, smallDisk } from '../support/smallDisk';

let folder: string;
let s3: S3Server;
beforeAll(async () => {
  folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'store-'));
  s3 = await startS3(path.join(folder, 's3'));
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const failures: FileStoreError[] = [];
function open(env: Readonly<Record<string, string>>): FileStore {
  const config = loadConfig({ DATABASE_URL: 'postgres://x', SECRETS_KEY: Buffer.alloc(32).toString('base64'), ...env });
  return createFileStore(config, (error) => failures.push(error));
}
const stores = [
  ['a directory', () => open({ FILES_DIR: path.join(folder, 'files') })],
  ['a bucket', () => open(s3.env)],
] as const;

/** More than one part of a bucket's upload. */
function* chunks(count: number): Generator<Buffer> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(65_536, at);
}

describe.each(stores)('a file store over %s (contract 17)', (_name, make) => {
  let store: FileStore;
  beforeAll(() => (store = make()));
  afterAll(() => store.close());

  it('gives back what was written, whole or in part, until it is removed', async () => {
    const whole = Buffer.concat([...chunks(180)]);
    await store.write('7/ab/med_1', Readable.from(chunks(180), { objectMode: false }));
    expect((await buffer((await store.read('7/ab/med_1')) ?? Readable.from([]))).equals(whole)).toBe(true);
    const part = await store.read('7/ab/med_1', { start: 65_530, end: 65_541 });
    expect([...(await buffer(part ?? Readable.from([])))]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);

    await store.write('7/ab/med_1', Readable.from([Buffer.from('anew')]));
    expect((await buffer((await store.read('7/ab/med_1')) ?? Readable.from([]))).toString()).toBe('anew');
    await store.remove('7/ab/med_1');
    await store.remove('7/ab/med_1');
    expect(await store.read('7/ab/med_1')).toBeNull();
  });

  it('keeps nothing of a stream that breaks off, and says what the stream said', async () => {
    function* broken(): Generator<Buffer> {
      yield* chunks(100);
      throw new Error('the sender went away');
    }
    const written = store.write('7/ab/med_2', Readable.from(broken(), { objectMode: false }));
    await expect(written).rejects.toThrow('the sender went away');
    expect(await store.read('7/ab/med_2')).toBeNull();
  });
});

it('removes what killed writers left behind, and nothing that is being written', async () => {
  const store = open({ FILES_DIR: path.join(folder, 'files') });
  const part = (name: string): string => path.join(folder, 'files', 'parts', name);
  await writeFile(part('old'), 'x');
  await utimes(part('old'), new Date(), new Date(Date.now() - 25 * 3_600_000));
  await writeFile(part('new'), 'x');
  await store.tidy();
  expect(await readdir(path.join(folder, 'files', 'parts'))).toEqual(['new']);
});

it.each([
  ['a directory that cannot be made', { FILES_DIR: '/dev/null/files' }],
  ['a bucket that is away', { FILES_S3_BUCKET: 'files', FILES_S3_ENDPOINT: 'http://127.0.0.1:1' }],
])('tells of %s, and ends the stream', async (_what, env) => {
  const keys = { FILES_S3_ACCESS_KEY_ID: 'x', FILES_S3_SECRET_ACCESS_KEY: 'x' };
  const store = open({ ...keys, ...env });
  const told = failures.length;
  const bytes = Readable.from(chunks(200), { objectMode: false });
  await expect(store.write('7/ab/med_3', bytes)).rejects.toThrow(FileStoreError);
  expect([bytes.destroyed, failures.length]).toEqual([true, told + 1]);
  store.close();
});

const disk = smallDisk(1);
afterAll(async () => {
  if (typeof disk !== 'string') await disk.close();
});
itOnSmallDisk(
  disk,
  'tells of a disk that is full, ends the stream, leaves nothing there, and takes files again when there is room',
  async ({ folder: full, fill, free }) => {
    const store = open({ FILES_DIR: path.join(full, 'files') });
    const told = failures.length;
    // Whether it is full already, or becomes so meanwhile.
    for (const before of [fill, free]) {
      await before();
      const bytes = Readable.from(chunks(200), { objectMode: false });
      await expect(store.write('7/ab/med_4', bytes)).rejects.toThrow(/^the file store failed: (Error: )?ENOSPC/);
      expect(bytes.destroyed).toBe(true);
      expect(await store.read('7/ab/med_4')).toBeNull();
    }
    expect(failures.length).toBe(told + 2);
    await store.write('7/ab/med_4', Readable.from(chunks(2), { objectMode: false }));
    expect((await buffer((await store.read('7/ab/med_4')) ?? Readable.from([]))).length).toBe(131_072);
  },
);

it('tells of a file that may grow no more, where a limit of the system ends it', () => {
  const script = `
    const { createFileStore } = require('./dist/api/core/files/create.js');
    const { Readable } = require('node:stream');
    const store = createFileStore({ files: { s3: null, directory: process.argv[1] } }, () => console.log('told'));
    const bytes = Readable.from([Buffer.alloc(65_536), Buffer.alloc(65_536)], { objectMode: false });
    store.write('7/ab/med_5', bytes).catch((error) => console.log(error.name, error.message));`;
  const run = 'ulimit -f 64; exec "$0" -e "$1" "$2"';
  const { stdout, stderr, status, signal } = spawnSync(
    'sh',
    ['-c', run, process.execPath, script, path.join(folder, 'files')],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  expect({ stdout, stderr, status, signal }).toEqual({
    stdout: expect.stringMatching(/^told\nFileStoreError the file store failed: EFBIG/) as string,
    stderr: '',
    status: 0,
    signal: null,
  });
});

describe('what a file is', () => {
  const zip = Buffer.from('PK\u0003\u0004 any archive', 'latin1');
  it.each([
    [
      'a picture that is called a page',
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'text/html',
      'image/png',
    ],
    ['a page that is called a picture', Buffer.from('<html><script>1</script>'), 'image/jpeg', 'text/plain'],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml', 'image/svg+xml'],
    ['a drawing with its head', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/png', 'application/xml'],
    ['an archive', zip, '', 'application/zip'],
    ['a program', Buffer.from('4d5a900003000000', 'hex'), 'image/png', 'application/x-msdownload'],
    ['a text', Buffer.from('Dear all'), '', 'text/plain'],
    ['bytes', Buffer.from([0, 1, 2]), 'text/plain', 'application/octet-stream'],
  ])('%s is judged by its bytes', async (_what, head, declared, expected) => {
    const found = await contentOf(head, declared, 'x');
    expect(found).toBe(expected);
    expect(maxBytesOf(found) === null).toBe(!/^(text\/plain|image\/png)$/.test(found));
  });

  it('takes the word of its sender for the kind of a document, which is never opened', async () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(await contentOf(zip, docx, 'x')).toBe(docx);
    expect(await contentOf(zip, 'application/octet-stream', 'Letter.DOCX')).toBe(docx);
  });

  it('reads no more of a file than it may have', async () => {
    let given = 0;
    const source = Readable.from(
      (function* () {
        for (const chunk of chunks(1_000)) {
          given += 1;
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    const { body } = await inspectFile(source, { declared: '', filename: '' }, () => 100_000);
    await expect(buffer(body)).rejects.toThrow(FileTooLarge);
    expect([source.destroyed, given < 10]).toEqual([true, true]);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\a.pdf', 'a.pdf'],
    ['a\u0000b\r\n\u202egpj.exe', 'a_b___gpj.exe'],
    [`${'x'.repeat(239)}\u{1f600}y`, `${'x'.repeat(239)}\u{1f600}`],
  ])('is called %j no more', (name, clean) => expect(cleanFilename(name)).toBe(clean));

  it.each([
    ['application/x-msdownload', 'Invoice.pdf', true],
    ['application/pdf', 'fdp.EXE', true],
    ['text/html', 'Invoice', true],
    ['application/octet-stream', 'run.ps1', true],
    ['application/pdf', 'Invoice.pdf', false],
    ['image/png', 'com', false],
  ])('%s called %s is said to be a program: %s', (mimeType, filename, says) => {
    const { name } = mediaOf({ id: 1, media: { status: 'stored', mime_type: mimeType, filename } }, 'document', {});
    expect([name.startsWith(filename), name.includes('a program')]).toEqual([true, says]);
  });
});
