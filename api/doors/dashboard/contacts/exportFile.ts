import type { Page } from '../../../core/http/operations';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { namedIds } from '../../../services/processes/bulkChanges/batches';
import { contactShape, serializeContact } from '../../../services/resources/contacts/serializer';
import { contactsByIds } from '../../../services/resources/contacts/service';
import { sendCsv } from '../csvFile';
import { definitionsFor, shownValue, type FieldDefinition } from '../forms';
import type { Handled, PageAnswer, PageRequest } from '../page';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { contactFilters } from './filters';
import { contactsPath, type Contact } from './read';

const pageSize = 200;
/** The columns of a contact that an import takes, too. */
const importColumns = ['phone', 'bsuid', 'name', 'email', 'company', 'notes', 'tags', 'marketing_opt_out'] as const;

/** Writes the selected contacts into a file, or all that the list finds. */
export async function sendExport(page: PageRequest): Promise<Handled | PageAnswer> {
  requireRecent(page.credential);
  const definitions = await definitionsFor(page, 'contacts');
  const filters = contactFilters(page);
  const isSelection = page.req.method === 'POST' && page.form['all'] !== 'true';
  const chosen = page.all('receiver');
  if (isSelection && chosen.length === 0)
    return page.redirect(page.link(contactsPath, filters), { text: words.contacts.bulk.nobody, kind: 'bad' });
  const given = isSelection ? { receiver_ids: chosen } : filters;
  await recordSecurity(page.ctx, { action: 'contacts.export', given });
  const columns = [...importColumns, '(username)', '(created_at)', ...definitions.map(({ name }) => name)];
  return sendCsv<Contact>(
    page,
    { name: 'contacts', columns, cellsOf: (contact) => cellsOf(contact, definitions) },
    // The number of contacts is not shown, and each page would count them again.
    (more) =>
      isSelection
        ? selected(page, chosen)
        : readPage(page, contactShape, 'contacts.list', {
            ...filters,
            ...more,
            page_size: pageSize,
            count: false,
          }),
  );
}

/** Reads the contacts of a selection, those that are there, in the order of their ids. */
async function selected(page: PageRequest, handles: readonly string[]): Promise<Page<Contact>> {
  const { ids } = await namedIds(page.ctx, handles);
  const found = await contactsByIds(page.ctx, ids);
  return { kind: 'page', items: [...found.values()].map(serializeContact), next: null, previous: null };
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
