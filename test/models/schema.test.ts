import type { Model, ModelAttributeColumnOptions, ModelStatic } from 'sequelize';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly identity: boolean;
  readonly primary: boolean;
  /** Referenced table and column, and what follows from a deletion there. */
  readonly references: string | null;
}

/** The migrated schema. Columns that the database computes itself are left out: no statement can write them. */
const columnsSql = `
  SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS "type",
    NOT a.attnotnull AS "nullable", pg_get_expr(d.adbin, d.adrelid) AS "default", a.attidentity <> '' AS "identity",
    EXISTS (
      SELECT FROM pg_constraint p WHERE p.conrelid = c.oid AND p.contype = 'p' AND a.attnum = ANY (p.conkey)
    ) AS "primary",
    (
      SELECT f.confrelid::regclass || '.' || r.attname || ' ' || f.confdeltype::text
      FROM pg_constraint f JOIN pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = f.confkey[1]
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum]
    ) AS "references"
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> 'schema_migrations'`;

/** What a model says of its columns, in the words of the database. */
function declared(model: ModelStatic<Model>): Column[] {
  return Object.entries(model.getAttributes()).map(([column, attribute]) => ({
    table: model.tableName,
    column,
    type: typeOf(attribute.type),
    nullable: attribute.allowNull === true,
    default: defaultOf(attribute.defaultValue),
    identity: attribute.autoIncrement === true,
    primary: attribute.primaryKey === true,
    references: referenceOf(attribute),
  }));
}

interface TypeOfColumn {
  readonly key: string;
  readonly _length?: number;
  readonly type?: unknown;
  readonly options?: { readonly precision?: number; readonly scale?: number };
}

function typeOf(type: unknown): string {
  const { key, _length, type: item, options } = type as TypeOfColumn;
  if (key === 'ARRAY') return `${typeOf(item)}[]`;
  if (key === 'STRING') return `character varying(${_length ?? 255})`;
  if (key === 'DATE') return `timestamp${_length === 6 ? '' : `(${_length ?? 0})`} with time zone`;
  if (key === 'DECIMAL') return `numeric(${options?.precision},${options?.scale})`;
  return { BLOB: 'bytea', DATEONLY: 'date' }[key] ?? key.toLowerCase();
}

/** Defaults of both sides in one form: constants as JSON, everything else as the expression. */
function defaultOf(value: unknown): string | null {
  if (value === undefined) return null;
  const expression = (value as { val?: unknown } | null)?.val;
  return typeof expression === 'string' ? expression : JSON.stringify(value);
}

function storedDefault(text: string | null): string | null {
  if (text === null) return null;
  if (/^(true|false|-?\d+)$/.test(text)) return text;
  const constant = /^'(.*)'::(.*)$/s.exec(text);
  if (!constant) return text;
  const [value = '', type = ''] = constant.slice(1);
  if (type === 'jsonb') return JSON.stringify(JSON.parse(value));
  if (type.endsWith('[]'))
    return JSON.stringify(
      value
        .slice(1, -1)
        .split(',')
        .filter(Boolean)
        .map((item) => item.replace(/^"(.*)"$/, '$1')),
    );
  return JSON.stringify(value);
}

function referenceOf(attribute: ModelAttributeColumnOptions): string | null {
  if (typeof attribute.references !== 'object') return null;
  const { model, key } = attribute.references as { model: string; key: string };
  return `${model}.${key} ${{ CASCADE: 'c', 'SET NULL': 'n', RESTRICT: 'r' }[attribute.onDelete ?? ''] ?? 'a'}`;
}

const sorted = (columns: readonly Column[]): Column[] =>
  [...columns].sort((a, b) => `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`));

describe('the models and the migrated database', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
  });
  afterAll(() => desk.close());

  it('agree on every table, column, type, default, key and reference', async () => {
    const stored = await desk.runtime.db.rows<Column>(columnsSql);
    const models = Object.values(desk.runtime.db.models) as ModelStatic<Model>[];

    expect(sorted(models.flatMap(declared))).toEqual(
      sorted(stored.map((column) => ({ ...column, default: storedDefault(column.default) }))),
    );
  });
});
