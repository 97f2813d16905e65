import { invalidField } from '../../../../core/http/errors';
import { cut } from '../../../../core/text/cut';
import { builtInColumns } from '../../customFields/schema';
import { reason } from '../../reasons';
import type { Reason } from '../../../../core/http/reasons';

/** Other names that spreadsheets and other programs give to columns of ours. */
const columnAliases: Readonly<Record<string, string>> = {
  // Chatwoot, WhatsApp's own, and what people write.
  phone_number: 'phone',
  'phone number': 'phone',
  telephone: 'phone',
  mobile: 'phone',
  whatsapp: 'phone',
  'e-mail': 'email',
  email_address: 'email',
  company_name: 'company',
  // Google.
  'phone 1 - value': 'phone',
  'e-mail 1 - value': 'email',
  'organization 1 - name': 'company',
  'organization name': 'company',
  labels: 'tags',
  // HubSpot.
  'mobile phone number': 'phone',
  'whatsapp phone number': 'phone',
  'company name': 'company',
  // Excel and Outlook.
  'mobile phone': 'phone',
  'primary phone': 'phone',
  'e-mail address': 'email',
  'email address': 'email',
  'full name': 'name',
  'display name': 'name',
};

/** The parts of a name, which become one; in brackets, since no field of a workspace can be called so. */
export const nameParts = ['(first_name)', '(last_name)'] as const;
/** Kept with the contact under the name that the header gives it. */
export const keptColumn = '(attribute)';
/** Not read at all. */
export const leftOutColumn = '';

/**
 * What is guessed beside, where somebody looks at it before it is imported: other languages, numbers of any kind, and
 * the parts of a name.
 */
const guesses: Readonly<Record<string, readonly string[]>> = {
  phone: [
    'handy handynummer mobil mobiltelefon mobilnummer móvil movil celular telemóvel telemovel portable cellphone',
    'telefon telefonnummer rufnummer teléfono telefono telefone téléphone tel tel.',
  ]
    .flatMap((line) => line.split(' '))
    .concat(['mobile number', 'cell phone', 'whatsapp number', 'business phone', 'home phone']),
  email: ['mail', 'e-mail-adresse', 'correo', 'correo electrónico', 'e-mail 1', 'endereço de e-mail'],
  name: ['vollständiger name', 'contact name', 'contact', 'kontakt', 'nombre completo', 'nome completo'],
  '(first_name)': ['first name', 'firstname', 'first_name', 'given name', 'vorname', 'nombre', 'nome', 'prénom'],
  '(last_name)': [
    ...['last name', 'lastname', 'last_name', 'family name', 'surname', 'nachname', 'familienname'],
    ...['apellido', 'apellidos', 'sobrenome', 'nom'],
  ],
  company: [
    'firma',
    'unternehmen',
    'organization',
    'organisation',
    'empresa',
    'compañía',
    'société',
    'associated company',
  ],
  notes: ['note', 'notizen', 'notiz', 'bemerkung', 'bemerkungen', 'notas', 'observações', 'comments', 'kommentar'],
  tags: [
    'tag',
    'label',
    'categories',
    'kategorien',
    'schlagworte',
    'etiquetas',
    'group membership',
    'groups',
    'gruppen',
  ],
  marketing_opt_out: ['opted out', 'opt-out', 'opt out', 'opted_out', 'opted out of marketing'],
};

const guessed = new Map([
  ...Object.entries(guesses).flatMap(([name, headers]) => headers.map((header) => [header, name] as const)),
  ...Object.entries(columnAliases),
]);

/** Of several numbers of a person the one that is answered by message. */
const betterPhones = [/whats/, /mobi|cell|handy|m[oó]vil|celular|telem|portable/] as const;

/** What our own files tell beside what an import takes; in brackets, since no field of a workspace can be called so. */
const leftOutColumns: ReadonlySet<string> = new Set(['(username)', '(created_at)', '(problem)']);
/** A row is of a person whom one of these names. */
const namingColumns: readonly string[] = ['phone', 'bsuid', 'receiver_id'];

/** Most columns of a file. */
export const maxColumns = 1_000;

/** What a column is read as. */
export interface Column {
  readonly key: string;
  readonly as: 'value' | 'attribute' | 'tags' | (typeof nameParts)[number] | 'none';
}

/** Returns the name of a column without what nobody sees. */
export function trimmedName(column: string): string {
  return column.replace(/\p{Cf}/gu, '').trim();
}

const lowerName = (column: string): string => trimmedName(column).toLowerCase();

/** Reads the header of a file by its own words. Throws the 400 of one that names nobody, or a column twice. */
export function readHeader(record: readonly string[], fieldNames: ReadonlySet<string>): readonly Column[] {
  const given = new Set(record.map(lowerName));
  const taken = new Set<string>();
  const header = record.map((column) => {
    const trimmed = trimmedName(column);
    const lower = trimmed.toLowerCase();
    if (leftOutColumns.has(lower)) return leftOutColumn;
    const alias = columnAliases[lower];
    // A column that has our own name, and a custom field of that name, come first.
    if (alias !== undefined && !given.has(alias) && !fieldNames.has(lower) && !taken.has(alias)) {
      taken.add(alias);
      return alias;
    }
    // Built-in columns and custom fields may be written in any case; other columns keep theirs.
    return builtInColumns.includes(lower) || fieldNames.has(lower) ? lower : trimmed;
  });
  if (!namesSomebody(header)) throw invalidField('file', reason('namedNobody'));
  refuseTwice(header);
  return header.map((key) => ({ key, as: key === leftOutColumn ? 'none' : 'value' }));
}

/** Returns whether a column of a file names the person of each row. */
export function namesSomebody(columns: readonly string[]): boolean {
  return columns.some((column) => namingColumns.includes(column));
}

function refuseTwice(names: readonly string[]): void {
  const seen = new Set<string>();
  const twice = names.find((name) => {
    const known = name !== leftOutColumn && seen.has(name);
    seen.add(name);
    return known;
  });
  if (twice !== undefined) throw invalidField('file', reason('columnTwice', { column: cut(twice, 100) }));
}

/** Reads what somebody says of the columns, in their order. Throws the 400 of what cannot be. */
export function readMapping(
  record: readonly string[],
  columns: readonly string[],
  fieldNames: ReadonlySet<string>,
): readonly Column[] {
  const wrong = (message: Reason): Error => invalidField('columns', message);
  if (columns.length !== record.length)
    throw wrong(reason('columnsDiffer', { count: record.length, told: columns.length }));
  const others = [leftOutColumn, keptColumn];
  const parts: readonly string[] = nameParts;
  const taken = new Set<string>();
  for (const column of columns) {
    if (others.includes(column)) continue;
    if (!mappable.includes(column) && !parts.includes(column) && !fieldNames.has(column))
      throw wrong(reason('noColumn', { column: cut(column, 100) }));
    if (taken.has(column)) throw wrong(reason('columnsSame', { column }));
    taken.add(column);
  }
  if (!namesSomebody(columns)) throw wrong(reason('columnsNobody'));
  refuseTwice(record.map((name, index) => (columns[index] === keptColumn ? trimmedName(name) : leftOutColumn)));
  return columns.map((column, index): Column => {
    const key = trimmedName(record[index] ?? '');
    if (column === leftOutColumn || (column === keptColumn && key === '')) return { key: leftOutColumn, as: 'none' };
    // Under a name of ours it would be that.
    const isOurs = builtInColumns.includes(key) || fieldNames.has(key);
    if (column === keptColumn) return { key, as: isOurs ? 'attribute' : 'value' };
    const hasOwnWay = column === 'tags' || parts.includes(column);
    return { key: column, as: hasOwnWay ? (column as Column['as']) : 'value' };
  });
}

/** Fields of every contact that a column may be; those that hold keys of their own have none. */
export const mappable = builtInColumns.filter((name) => name !== 'custom_fields' && name !== 'attributes');

/**
 * Guesses what the columns of a file are, by the headers of Chatwoot, Google, HubSpot, Outlook and of people: a mapping
 * for somebody to look at. A column of our own name comes first; what nothing is known of is kept.
 *
 * @param labels The names of the workspace's fields, by what people call them.
 */
export function guessColumns(record: readonly string[], labels: ReadonlyMap<string, string>): string[] {
  const names = record.map(lowerName);
  const own = (name: string): string | undefined => (mappable.includes(name) ? name : labels.get(name));
  /** The index of the column that is best for each name. */
  const best = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const target = own(name) ?? guessed.get(name);
    if (target === undefined) continue;
    const other = best.get(target);
    if (other === undefined || rankOf(names[other] ?? '', target) > rankOf(name, target)) best.set(target, index);
  }
  const [first, last] = nameParts;
  if (best.has('name') && best.has(first) && !best.has(last)) move('name', last);
  if (best.has(first) && !best.has(last) && !best.has('name')) move(first, 'name');
  if (best.has('name')) for (const part of nameParts) best.delete(part);
  const chosen = new Map([...best].map(([target, index]) => [index, target]));
  const kept = new Set([...leftOutColumns, '']);
  return names.map((name, index) => {
    const target = chosen.get(index);
    if (target !== undefined) return target;
    // Of two columns of one name the first is kept.
    const isKept = !kept.has(name);
    kept.add(name);
    return isKept ? keptColumn : leftOutColumn;
  });

  function move(from: string, to: string): void {
    const index = best.get(from);
    if (index === undefined) return;
    best.delete(from);
    best.set(to, index);
  }
}

/** Returns how good a column is for what it may be; the lower the better. */
function rankOf(name: string, target: string): number {
  if (name === target) return -1;
  const rank = target === 'phone' ? betterPhones.findIndex((words) => words.test(name)) : 0;
  return rank === -1 ? betterPhones.length : rank;
}

/** Returns the cells of a row by what they are; the parts of a name become one. */
export function entriesOf(
  cells: readonly string[],
  columns: readonly Column[],
): readonly (readonly [key: string, value: unknown])[] {
  const entries: (readonly [string, unknown])[] = [];
  const parts: Partial<Record<Column['as'], string>> = {};
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (!column || column.as === 'none') continue;
    if (column.as === 'value') entries.push([column.key, cell]);
    else if (column.as === 'tags') entries.push(['tags', parted(cell)]);
    else if (column.as === 'attribute') entries.push(['attributes', { [column.key]: cell }]);
    else parts[column.as] = cell.trim();
  }
  const name = nameParts.flatMap((part) => parts[part] || []).join(' ');
  return name === '' || columns.some(({ key }) => key === 'name') ? entries : [...entries, ['name', name]];
}

/** Returns labels as our files part them: Google has three colons between them, and a star before those of its own. */
function parted(cell: string): string {
  if (!/ ::: |^\* /.test(cell)) return cell;
  return cell
    .split(' ::: ')
    .map((label) => label.replace(/^\* /, ''))
    .join(';');
}
