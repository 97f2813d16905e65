import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { contactShape } from '../../../services/resources/contacts/serializer';
import { sendCsv } from '../csvFile';
import { definitionsFor, shownValue, type FieldDefinition } from '../forms';
import type { Handled, PageRequest } from '../page';
import { readPage } from '../typedCalls';
import { contactFilters } from './filters';
import type { Contact } from './wire';

const pageSize = 200;
/** The columns of a contact that an import takes, too. */
export const importColumns = [
  'phone',
  'bsuid',
  'name',
  'email',
  'company',
  'notes',
  'tags',
  'marketing_opt_out',
] as const;

/** Writes what the list finds into a file. */
export async function sendExport(page: PageRequest): Promise<Handled> {
  requireRecent(page.credential);
  const definitions = await definitionsFor(page, 'contacts');
  const filters = contactFilters(page);
  await recordSecurity(page.ctx, { action: 'contacts.export', given: filters });
  const columns = [...importColumns, '(username)', '(created_at)', ...definitions.map(({ name }) => name)];
  return sendCsv<Contact>(
    page,
    { name: 'contacts', columns, cellsOf: (contact) => cellsOf(contact, definitions) },
    // The number of contacts is not shown, and each page would count them again.
    (more) =>
      readPage(page, contactShape, 'contacts.list', { ...filters, ...more, page_size: pageSize }, { countsUpTo: 1 }),
  );
}

function cellsOf(contact: Contact, definitions: readonly FieldDefinition[]): unknown[] {
  const cells: Readonly<Record<(typeof importColumns)[number], unknown>> = {
    ...contact,
    // A contact without a number has the user id in this place.
    phone: contact.phone.startsWith('+') ? contact.phone : '',
    tags: listText(contact.tags),
    // An import of the file would opt in who opts out meanwhile.
    marketing_opt_out: contact.marketing_opt_out || '',
  };
  return [
    ...importColumns.map((name) => cells[name]),
    contact.username,
    contact.created_at,
    ...definitions.map(({ name }) => listText(contact.custom_fields[name])),
  ];
}

/** A list as an import reads it: parted by semicolons. */
function listText(value: unknown): string {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(';') : shownValue(value);
}
