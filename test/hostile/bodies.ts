/** A body that costs nothing to send, and may cost much to read. */
interface HostileBody {
  readonly name: string;
  readonly type: string;
  /** Returns it in about so many bytes, never more. */
  build(bytes: number): Buffer;
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const border = 'hostile';

/** Returns a text over and over, as often as it fits. */
function filled(text: string, bytes: number, around: readonly [string, string] = ['', '']): Buffer {
  const [head, tail] = around.map((part) => Buffer.from(part)) as [Buffer, Buffer];
  const room = Math.max(0, bytes - head.length - tail.length);
  const unit = Buffer.from(text);
  const middle = Buffer.alloc(room - (room % unit.length), unit);
  return Buffer.concat([head, middle, tail]);
}

/** Returns what `item` gives for 0, 1, 2 and so on, as much as fits, parted by commas. */
function listed(item: (index: number) => string, bytes: number, around: readonly [string, string]): Buffer {
  const texts: string[] = [];
  let left = bytes - around.join('').length;
  for (let index = 0; ; index += 1) {
    const text = item(index);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    texts.push(text);
  }
  return Buffer.from(around[0] + texts.join(',') + around[1]);
}

function file(content: (bytes: number) => Buffer): (bytes: number) => Buffer {
  const head = Buffer.from(
    `--${border}\r\ncontent-disposition: form-data; name="file"; filename="people.csv"\r\n` +
      'content-type: text/csv\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${border}--\r\n`);
  return (bytes) => Buffer.concat([head, content(bytes - head.length - tail.length), tail]);
}
const multipart = `multipart/form-data; boundary=${border}`;

const deep = (open: string, close: string) => (bytes: number) => {
  const levels = Math.floor((bytes - 20) / (open.length + close.length));
  return Buffer.from(`{"title":${open.repeat(levels)}1${close.repeat(levels)}}`);
};

/** One character to the eye, of five. */
const family = '👩‍👩‍👧 ';

/** Bodies of JSON; `field` is a name that the operation knows. */
const jsonBodies = (field: string): readonly HostileBody[] => [
  { name: `text of @ in ${field}`, type: json, build: (bytes) => filled('@', bytes, [`{"${field}":"`, '"}']) },
  {
    name: `text of families in ${field}`,
    type: json,
    build: (bytes) => filled(family, bytes, [`{"${field}":"`, '"}']),
  },
  {
    name: `text of escapes in ${field}`,
    type: json,
    build: (bytes) => filled('\\u00e9', bytes, [`{"${field}":"`, '"}']),
  },
  { name: `text of braces in ${field}`, type: json, build: (bytes) => filled('{{', bytes, [`{"${field}":"`, '"}']) },
  { name: `list of nulls in ${field}`, type: json, build: (bytes) => filled('null,', bytes, [`{"${field}":[`, '0]}']) },
  { name: `list of objects in ${field}`, type: json, build: (bytes) => filled('{},', bytes, [`{"${field}":[`, '0]}']) },
  {
    name: `list of numbers in ${field}`,
    type: json,
    build: (bytes) => filled('1e400,', bytes, [`{"${field}":[`, '0]}']),
  },
  {
    name: `keys in ${field}`,
    type: json,
    build: (bytes) => listed((index) => `"k${index}":1`, bytes, [`{"${field}":{`, '}}']),
  },
];

/** Everything that a write may be sent. */
export function hostileBodies(field: string): readonly HostileBody[] {
  return [
    ...jsonBodies(field),
    { name: 'unknown keys', type: json, build: (bytes) => listed((index) => `"k${index}":1`, bytes, ['{', '}']) },
    { name: 'one key many times', type: json, build: (bytes) => filled('"a":1,', bytes, ['{', '"b":1}']) },
    { name: 'a wide array', type: json, build: (bytes) => filled('[],', bytes, ['[', '[]]']) },
    { name: 'a list of keys', type: json, build: (bytes) => listed((i) => `{"k${i}":${i}}`, bytes, ['[', ']']) },
    { name: 'deep arrays', type: json, build: deep('[', ']') },
    { name: 'deep objects', type: json, build: deep('{"a":', '}') },
    { name: 'quotes as JSON', type: json, build: (bytes) => filled('"', bytes) },
    { name: 'braces that never close', type: json, build: (bytes) => filled('{"a":', bytes) },
    { name: 'blanks', type: json, build: (bytes) => filled(' ', bytes, ['', '{}']) },
    { name: 'a form of +', type: form, build: (bytes) => filled('+', bytes, ['a=', '']) },
    { name: 'a form of %', type: form, build: (bytes) => filled('%zz', bytes, ['a=', '']) },
    { name: 'a form of &', type: form, build: (bytes) => filled('&', bytes) },
    { name: 'a form of =', type: form, build: (bytes) => filled('=', bytes) },
    { name: 'JSON as a form', type: form, build: (bytes) => filled('{},', bytes, ['[', '{}]']) },
    {
      name: 'a form of lists',
      type: form,
      build: (bytes) => filled('[],', bytes, [`${field}=%5B`, '0%5D']),
    },
    { name: 'parts', type: multipart, build: (bytes) => filled(`--${border}\r\n\r\n\r\n`, bytes) },
    {
      name: 'fields of a form',
      type: multipart,
      build: (bytes) => filled(`--${border}\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n`, bytes),
    },
    ...hostileFiles.map(({ name, build }) => ({ name: `a file of ${name}`, type: multipart, build: file(build) })),
  ];
}

/** Files of contacts. */
export const hostileFiles: readonly { readonly name: string; build(bytes: number): Buffer }[] = [
  { name: 'commas', build: (bytes) => filled(',', bytes, ['phone\n', '']) },
  { name: 'quotes', build: (bytes) => filled('"', bytes, ['phone\n', '']) },
  { name: 'lines', build: (bytes) => filled('1\n', bytes, ['phone\n', '']) },
  { name: 'wide lines', build: (bytes) => filled(`1${','.repeat(1_200)}\n`, bytes, ['phone\n', '']) },
  { name: 'carriage returns', build: (bytes) => filled('\r', bytes, ['phone\n', '']) },
  { name: 'quoted breaks', build: (bytes) => filled('"\n",', bytes, ['phone\n', '']) },
  { name: 'columns', build: (bytes) => listed((index) => `c${index}`, bytes, ['phone,', '\n1\n']) },
  { name: 'commas as a header', build: (bytes) => filled(',', bytes) },
  { name: 'quotes as a header', build: (bytes) => filled('"', bytes) },
];
