import { fc, runs } from './properties';
import type * as yup from 'yup';
import { operations } from '../../api/operations';
import { describeObject } from '../../api/core/http/fields';
import type { Operation } from '../../api/core/http/operations';
import type { JsonSchema } from '../../api/core/http/shapes';
import { ownerSession } from '../factories/macros';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { writeSamples } from '../factories/writeSamples';
import { startApi, type TestApi } from './api';
import type { ApiAnswer } from './client';
import { changedRows, rowMark } from './snapshot';
import { triedElsewhere } from './writes';

type Json = Record<string, unknown>;

/*
 * Four workspaces that are told the same, one after the other: two in JSON, one in forms, one in multipart. What
 * differs between the two that got JSON are ids and times; everything else has to be the same in all four: status,
 * answer and every row that the write made or changed.
 */
const encodings = ['json', 'json', 'form', 'multipart'] as const;
type Encoding = (typeof encodings)[number];

// Macros run in a worker; elsewhere one would go on changing rows while they are compared.
const worked = new Set(['macros.run']);
const desks: TestApi[] = [];
const worlds: Record<'still' | 'worked', TestWorkspace[]> = { still: [], worked: [] };

async function makeWorlds(): Promise<void> {
  for (const kind of ['still', 'worked'] as const) {
    const desk = await startApi({ worker: kind === 'worked' });
    desks.push(desk);
    worlds[kind].push(desk.workspace);
    while (worlds[kind].length < encodings.length) worlds[kind].push(await createWorkspace(desk));
    for (const workspace of worlds[kind])
      expect(
        (
          await workspace.api.post('/api/v1/custom-fields/', {
            name: 'plan',
            field_type: 'multi_select',
            options: ['free', 'pro'],
            applies_to: ['contacts', 'conversations', 'tickets'],
          })
        ).status,
      ).toBe(201);
  }
}

/** The writes that are told. */
export const formWrites = operations.filter(
  ({ id, method, body, uploads }) =>
    ['POST', 'PATCH', 'PUT'].includes(method) && body !== undefined && !uploads && !triedElsewhere.includes(id),
);

// ---- Values that a form can say ----

const strings = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'x',
    ' x ',
    '2000000007',
    '00',
    '1.50',
    '-1',
    '1e21',
    'true',
    'No',
    'null',
    '[',
    '[1',
    '{"a":1}',
    '"q"',
    '["a"]',
    'a\nb',
    'a\r\nb',
    '&=+%20;',
    "'",
    'a=b&c=d',
    '\u00e9\u{1f600}',
    'a\u0000b',
    '\ufeffx',
    'none',
    '2031-05-04',
    '+49 151 5550001',
  ),
);
// None of them is the id of anything: a number would mean something else in each workspace.
const numbers = fc.constantFrom(
  0,
  -2,
  1.5,
  -0.25,
  2_000_000_007,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e20,
  1e21,
  1e-7,
);
const anything = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    strings,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'plan', 'name', '1', '', 'body', '__proto__x'), tie('any'), { maxKeys: 3 }),
  ),
})).any;

/** Right and wrong values of a kind of field, as far as both JSON and a form can say them. */
function valuesOf(json: JsonSchema): fc.Arbitrary<unknown> {
  const variants = (json['anyOf'] as JsonSchema[] | undefined)?.filter((variant) => variant['type'] !== 'null');
  if (variants) return fc.oneof(...variants.map(valuesOf));
  const type = [json['type']].flat().find((name) => name !== 'null');
  if (Array.isArray(json['enum']))
    return fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...(json['enum'] as string[])) },
      { weight: 1, arbitrary: strings },
    );
  if (json['format'] === 'date-time')
    return fc.constantFrom(
      '2031-05-04T10:00:00Z',
      '2031-05-04 10:00',
      '2031-05-04T12:00:00.25+02:00',
      '2031-02-31T00:00:00Z',
      'soon',
      '2001-01-01T00:00:00Z',
      1_900_000_000,
    );
  // A file is text in every form, and a number only in JSON.
  if (json['contentMediaType'] !== undefined)
    return fc.oneof(strings, fc.constantFrom('phone,name\n+49 151 5550001,Anna\n', 'phone\r\n"+4915155500\n'));
  if (type === 'string')
    return fc.oneof(
      { weight: 4, arbitrary: strings },
      { weight: 1, arbitrary: numbers },
      { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(Number(json['maxLength'] ?? 300) + 1, 5_000))) },
    );
  if (type === 'integer') {
    const bounds = [json['minimum'], json['maximum']].filter((bound) => bound !== undefined);
    const within =
      bounds.length > 0
        ? [fc.constantFrom(...bounds), fc.integer({ min: -2, max: 60 }), fc.constantFrom('12', ' 3 ', '+4')]
        : [];
    return fc.oneof(
      ...within,
      numbers,
      fc.constantFrom(' 2000000007 ', '+2000000008', '-5', 'x', '1.0', '99999999999999999999'),
    );
  }
  if (type === 'number') return fc.oneof(numbers, fc.constantFrom('12', '1.5', 'x'));
  if (type === 'boolean')
    return fc.oneof(
      { weight: 3, arbitrary: fc.boolean() },
      { weight: 1, arbitrary: fc.constantFrom('yes', 'OFF', 'perhaps', '2', 0, 1) },
    );
  if (type === 'array')
    return fc.array(
      fc.oneof(
        { weight: 4, arbitrary: valuesOf((json['items'] as JsonSchema | undefined) ?? {}) },
        { weight: 1, arbitrary: anything },
      ),
      { maxLength: 4 },
    );
  if (type === 'object') {
    const properties = Object.entries((json['properties'] as Record<string, JsonSchema> | undefined) ?? {});
    const known = fc.record(Object.fromEntries(properties.map(([key, inner]) => [key, valuesOf(inner)])), {
      requiredKeys: [],
    });
    return fc.oneof(known, fc.dictionary(fc.constantFrom('plan', 'a', '1', 'body', 'name'), anything, { maxKeys: 3 }));
  }
  return anything;
}

interface FieldKind {
  readonly nullable: boolean;
  readonly types: ReadonlySet<string>;
  readonly json: JsonSchema;
}

function kindsOf(operation: Operation): Map<string, FieldKind> {
  const described = describeObject(operation.body!)['properties'] as Record<string, JsonSchema>;
  return new Map(
    Object.entries(described).map(([key, json]) => {
      const types = ((json['anyOf'] as JsonSchema[] | undefined) ?? [json]).flatMap((variant) =>
        variant['type'] === undefined ? ['any'] : ([variant['type']].flat() as string[]),
      );
      return [
        key,
        { nullable: (operation.body!.fields[key] as yup.AnySchema).spec.nullable, types: new Set(types), json },
      ];
    }),
  );
}

/** What is put in place of a field of the sample; how a form says it. */
type Change = { readonly use: 'sample' | 'nothing' } | { readonly use: 'value'; readonly value: unknown };
interface Plan {
  readonly changes: Readonly<Record<string, Change>>;
  readonly style: number;
}

const untouched: Plan = { changes: {}, style: 0 };

function plans(kinds: Map<string, FieldKind>): fc.Arbitrary<Plan> {
  const change = ({ json, nullable }: FieldKind): fc.Arbitrary<Change> => {
    // The empty text of a nullable field is how a form says null.
    const values = valuesOf(json).filter((value) => !(nullable && value === ''));
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant<Change>({ use: 'sample' }) },
      { weight: 1, arbitrary: fc.constant<Change>({ use: 'nothing' }) },
      {
        weight: 3,
        arbitrary: (nullable ? fc.option(values) : values).map((value): Change => ({ use: 'value', value })),
      },
    );
  };
  return fc.record({
    changes: fc.record(Object.fromEntries([...kinds].map(([key, kind]) => [key, change(kind)]))),
    style: fc.nat(99),
  });
}

function bodyOf(sample: Json, { changes }: Plan): Json {
  const body: Json = { ...sample };
  for (const [key, change] of Object.entries(changes)) {
    if (change.use === 'nothing') delete body[key];
    if (change.use === 'value') body[key] = change.value;
  }
  return body;
}

// ---- The three ways to send it (contract 3) ----

function formPairs(body: Json, kinds: Map<string, FieldKind>, style: number): [string, string][] {
  return Object.entries(body).flatMap(([key, value]) =>
    textsOf(value, kinds.get(key), style).map((text): [string, string] => [key, text]),
  );
}

/** A value as the texts of a form: more than one for a list in repeated keys. */
function textsOf(value: unknown, kind: FieldKind | undefined, style: number): string[] {
  if (value === null) return [''];
  if (typeof value === 'boolean' && kind?.types.has('boolean'))
    return [(value ? ['true', '1', 'yes', 'on', 'True'] : ['false', '0', 'no', 'off', 'FALSE'])[style % 5] ?? ''];
  if (Array.isArray(value) && style % 2 === 1 && kind && repeatable(value, kind)) return value.map(String);
  if (kind?.types.has('any') || typeof value !== 'string') return [JSON.stringify(value)];
  return [value];
}

/** One of each way to say what these fields hold: five words for a boolean, a list as JSON or in repeated keys. */
function stylesOf(kinds: Map<string, FieldKind>): readonly number[] {
  const types = new Set([...kinds.values()].flatMap((kind) => [...kind.types]));
  if (types.has('boolean')) return [0, 1, 2, 3, 4];
  return types.has('array') || types.has('any') ? [0, 1] : [0];
}

function repeatable(list: unknown[], kind: FieldKind): boolean {
  if (kind.types.has('any')) return list.length > 1 && list.every((item) => typeof item === 'string');
  const plain = list.every((item) => typeof item === 'number' || (typeof item === 'string' && item !== ''));
  // Alone, what looks like JSON is read as the whole list.
  return plain && list.length > (list.some((item) => /^\s*[[{"]/.test(String(item))) ? 1 : 0);
}

/** Written out here: a client's form encoder would turn every line break into CRLF. */
function multipart(pairs: readonly [string, string][], style: number): { body: Buffer; type: string } {
  const boundary = `----desk${style}`;
  const parts = pairs.map(
    ([key, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${text}\r\n`,
  );
  return {
    body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

async function send(
  workspace: TestWorkspace,
  operation: Operation,
  path: string,
  body: Json,
  encoding: Encoding,
  style: number,
): Promise<ApiAnswer<unknown>> {
  const api = operation.audience === 'session' ? (await ownerSession(workspace)).api : workspace.api;
  if (encoding === 'json') return api.request(operation.method, path, body);
  const pairs = formPairs(body, kindsOf(operation), style);
  if (encoding === 'form') return api.request(operation.method, path, new URLSearchParams(pairs));
  const parts = multipart(pairs, style);
  return api.request(operation.method, path, parts.body, { 'content-type': parts.type });
}

// ---- Comparing ----

const nearNow = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) &&
  Math.abs(Date.parse(value) - Date.now()) < 400 * 86_400_000;

/** A refusal names the type of what it received, and in a form everything is text. */
function withoutType(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/,? (received|but got( type)?) "?\w+"?\./, '.') : value;
}

/** Where `other` says something else than the two that were told in JSON, but for what differs between those. */
function differences(first: unknown, control: unknown, other: unknown, at = ''): string[] {
  if (nearNow(first) && nearNow(control) && nearNow(other)) return [];
  if (typeof first === 'object' && first !== null && typeof control === 'object' && control !== null) {
    if (typeof other !== 'object' || other === null)
      return [`${at}: ${JSON.stringify(first)} but ${JSON.stringify(other)}`];
    const keys = new Set([...Object.keys(first), ...Object.keys(control), ...Object.keys(other)]);
    return [...keys].flatMap((key) =>
      differences((first as Json)[key], (control as Json)[key], (other as Json)[key], `${at}/${key}`),
    );
  }
  if (withoutType(first) === withoutType(other)) return [];
  if (first !== control && typeof first === typeof control && typeof first === typeof other && other !== null)
    return [];
  return [`${at}: ${JSON.stringify(first)} and ${JSON.stringify(control)} but ${JSON.stringify(other)}`];
}

async function tell(operation: Operation, plan: Plan): Promise<number> {
  const kind = worked.has(operation.id) ? 'worked' : 'still';
  const phone = uniquePhone();
  const tag = phone.slice(-9);
  const outcomes: { status: number; body: unknown; rows: unknown }[] = [];
  const told: Json[] = [];
  for (const [index, encoding] of encodings.entries()) {
    const workspace = worlds[kind][index]!;
    const sample = await writeSamples[operation.id]!(workspace, tag, phone);
    const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => String(sample.params?.[name]));
    const body = bodyOf(sample.body, plan);
    const mark = await rowMark(workspace.server.runtime);
    const answer = await send(workspace, operation, path, body, encoding, plan.style);
    outcomes.push({
      status: answer.status,
      body: answer.body,
      rows: await changedRows(workspace.server.runtime, mark),
    });
    told.push(body);
  }
  const [first, control, ...others] = outcomes;
  for (const [index, other] of others.entries()) {
    const found = differences(first, control, other);
    if (found.length > 0)
      throw new Error(
        `${operation.id} sent as ${encodings[index + 2]} differs from JSON\n${found.slice(0, 10).join('\n')}\n` +
          `body: ${JSON.stringify(told[0])}`,
      );
  }
  return first!.status;
}

/** Declares a test of each write: that it means the same in JSON, forms and multipart (contract 3). */
export function tellEveryWrite(name: string, work: (operation: Operation) => Promise<void>): void {
  beforeAll(makeWorlds);
  afterAll(() => Promise.all(desks.map((desk) => desk.close())));

  it.each(formWrites.map((operation) => [operation.id, operation] as const))(
    `%s means the same in JSON, forms and multipart, ${name}`,
    async (_id, operation) => work(operation),
    180_000,
  );
}

/** Tells the sample of a write, in each way to say a boolean and a list. */
export async function tellSample(operation: Operation): Promise<void> {
  for (const style of stylesOf(kindsOf(operation)))
    expect(await tell(operation, { ...untouched, style })).toBe(operation.status);
}

/** Tells a write whatever its fields can hold. */
export async function tellAnything(operation: Operation): Promise<void> {
  const kinds = kindsOf(operation);
  if (kinds.size === 0) return;
  await fc.assert(
    fc.asyncProperty(plans(kinds), async (plan) => void (await tell(operation, plan))),
    { numRuns: runs(5), endOnFailure: true },
  );
}
