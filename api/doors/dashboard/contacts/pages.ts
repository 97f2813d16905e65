import { convStatuses } from '../../../../models/enums';
import { optionsOf, peopleOptions, sentence, type FilterView, type Option } from '../fieldViews';
import type { FieldErrors } from '../../../core/http/errors';
import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import {
  changedFields,
  customValueViews,
  definitionsFor,
  formField,
  readCustomValues,
  readTags,
  shownValue,
  tagsOf,
  type FieldDefinition,
} from '../forms';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { contactPath, type WireContact, type WireMember, type WirePage } from './wire';

const list = '/dashboard/contacts/';
const filterNames = ['search', 'tag', 'conv_status', 'assigned_member', 'priority', 'opted_out', 'ordering'] as const;
const mergeKinds = new Set(['contacts_merged', 'identity_changed', 'phone_reassigned']);
const activityShown = 20;

/** Returns the filters of the list that the address carries, with those of custom fields. */
export function contactFilters(page: PageRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(page.query).filter(
      ([name]) => (filterNames as readonly string[]).includes(name) || name.startsWith('custom_field.'),
    ),
  );
}

/** Contacts: the list, one contact, creating, editing, opting out and erasing. */
export const contactPages = definePages([
  { method: 'GET', path: list, scope: 'contact.view', run: showList },
  { method: 'GET', path: `${list}new/`, scope: 'contact.edit', run: async (page) => showForm(page, null) },
  {
    method: 'POST',
    path: `${list}new/`,
    scope: 'contact.edit',
    run: async (page) => {
      const definitions = await definitionsFor(page, 'contacts', 'conversations');
      const saved = await page.attempt(() => page.call<WireContact>('contacts.create', readContact(page, definitions)));
      if ('errors' in saved) return showForm(page, null, saved.errors);
      return page.redirect(contactPath(saved.value.receiver_id), { text: 'The contact is created.' });
    },
  },
  { method: 'GET', path: `${list}:receiver_id/`, scope: 'contact.view', run: showContact },
  {
    method: 'GET',
    path: `${list}:receiver_id/edit/`,
    scope: 'contact.edit',
    run: async (page) => showForm(page, await readOne(page)),
  },
  {
    method: 'POST',
    path: `${list}:receiver_id/edit/`,
    scope: 'contact.edit',
    run: async (page) => {
      const contact = await readOne(page);
      const definitions = await definitionsFor(page, 'contacts', 'conversations');
      const changes = readContact(page, definitions);
      const saved = await page.attempt(() =>
        page.call('contacts.update', { receiver_id: contact.receiver_id, ...changes }),
      );
      if ('errors' in saved) return showForm(page, contact, saved.errors);
      return page.redirect(contactPath(contact.receiver_id), { text: 'The contact is saved.' });
    },
  },
  {
    method: 'POST',
    path: `${list}:receiver_id/opt-out/`,
    scope: 'contact.edit',
    run: async (page) => {
      const optsOut = page.form['marketing_opt_out'] === 'true';
      const { receiver_id: receiverId } = await readOne(page);
      await page.call('contacts.update', { receiver_id: receiverId, marketing_opt_out: optsOut });
      const text = optsOut ? 'The contact gets no more marketing.' : 'The contact gets marketing again.';
      return page.redirect(contactPath(receiverId), { text });
    },
  },
  {
    method: 'POST',
    path: `${list}:receiver_id/erase/`,
    scope: 'contact.delete',
    confirm: {
      title: 'Erase this contact?',
      text: 'The contact, the conversation and all messages are erased. This cannot be undone.',
      button: 'Erase for ever',
    },
    run: async (page) => {
      await page.call('contacts.delete', { receiver_id: page.params['receiver_id'] });
      return page.redirect(list, { text: 'The contact is erased.' });
    },
  },
]);

async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = contactFilters(page);
  const { cursor, page: number } = page.query;
  const [found, members] = await Promise.all([
    page.attempt(() => page.call<WirePage<WireContact>>('contacts.list', { ...filters, cursor, page: number })),
    page.callIfPermitted<WirePage<WireMember>>('teamMembers.list', { page_size: 200 }, emptyPage),
  ]);
  const contacts = 'value' in found ? found.value : emptyPage;
  const data = {
    contacts: contacts.items.map((contact) => ({ ...contact, tags: tagsOf(contact.tags) ?? [] })),
    count: contacts.count ?? 0,
    next: contacts.next,
    previous: contacts.previous,
    filters,
    isFiltered: Object.keys(filters).some((name) => name !== 'ordering'),
    shown: filterViews(filters, members.items),
    errors: 'errors' in found ? found.errors : {},
  };
  return page.page('/contacts/list', data, {
    title: 'Contacts',
    place: 'contacts',
    styles: ['desk.css'],
    status: 'errors' in found ? 422 : 200,
  });
}

/** Returns the selects above the list. */
function filterViews(filters: Readonly<Record<string, string>>, members: readonly WireMember[]): FilterView[] {
  const view = (name: string, label: string, options: readonly Option[]): FilterView => ({
    name,
    label,
    options,
    chosen: filters[name] ?? '',
  });
  return [
    view('conv_status', 'Status', [
      { value: '', label: 'Any status' },
      ...convStatuses.map((value) => ({ value, label: sentence(value) })),
    ]),
    view('assigned_member', 'Assigned to', [
      { value: '', label: 'Assigned to anyone' },
      { value: 'none', label: 'Unassigned' },
      ...peopleOptions(members),
    ]),
    view(
      'opted_out',
      'Marketing',
      optionsOf([
        ['', 'Opted in or out'],
        ['false', 'Not opted out'],
        ['true', 'Opted out'],
      ]),
    ),
    view(
      'ordering',
      'Order',
      optionsOf([
        ['', 'Newest first'],
        ['created_at', 'Oldest first'],
        ['-updated_at', 'Last changed first'],
        ['name', 'By name'],
      ]),
    ),
  ];
}

async function showContact(page: PageRequest): Promise<PageAnswer> {
  const contact = await readOne(page);
  const size = page.query['activity'] === 'all' ? 200 : activityShown;
  const [definitions, names, activity, tickets] = await Promise.all([
    definitionsFor(page, 'contacts', 'conversations'),
    loadActivityNames(page),
    page.callIfPermitted<WirePage<WireActivity> | null>(
      'conversations.activity',
      { receiver_id: contact.receiver_id, page_size: 200 },
      null,
    ),
    page.workspace.ticketing
      ? page.callIfPermitted<Record<string, unknown>[]>('tickets.list', { receiver: contact.id, limit: 10 }, [])
      : [],
  ]);
  const entries = activity?.items ?? [];
  const data = {
    contact,
    path: contactPath(contact.receiver_id),
    title: contact.name || contact.phone,
    tags: tagsOf(contact.tags),
    fields: customValueViews(page, definitions, contact.custom_fields),
    attributes: Object.entries(contact.attributes).map(([name, value]) => ({ name, value: shownValue(value) })),
    activity: activity && {
      lines: activityLines(page, entries.slice(0, size), names),
      hasMore: entries.length > size,
    },
    merges: activityLines(
      page,
      entries.filter(({ kind }) => mergeKinds.has(kind)),
      names,
    ),
    tickets,
  };
  return page.page('/contacts/show', data, { title: data.title, place: 'contacts', styles: ['desk.css'] });
}

async function showForm(page: PageRequest, contact: WireContact | null, errors: FieldErrors = {}): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  const tags = contact ? tagsOf(contact.tags) : [];
  const stored = { ...contact, tags: tags?.join(', ') ?? '' };
  const hints = { phone: 'With the country code, as +49 151 5550001.', tags: 'With commas between them.' };
  const fields = [
    ...(contact ? [] : [{ name: 'phone', label: 'Phone', type: 'tel', hint: hints.phone }]),
    { name: 'name', label: 'Name' },
    { name: 'email', label: 'Email', type: 'email' },
    { name: 'company', label: 'Company' },
    ...(tags ? [{ name: 'tags', label: 'Tags', hint: hints.tags }] : []),
    { name: 'notes', label: 'Notes', type: 'textarea', rows: 4 },
    ...(contact ? [] : [{ name: 'bsuid', label: 'User id', hint: 'For a customer who hides their number.' }]),
  ].map((field) =>
    formField(
      page,
      { attributes: { autocomplete: 'off' }, ...field },
      (stored as Readonly<Record<string, unknown>>)[field.name],
    ),
  );
  const custom = customValueViews(page, definitions, contact?.custom_fields ?? {}, errors['custom_fields']);
  const title = contact ? `Edit ${contact.name || contact.phone}` : 'New contact';
  const data = {
    title,
    fields,
    custom,
    errors: unshown(errors, custom),
    back: contact ? contactPath(contact.receiver_id) : list,
    button: contact ? 'Save' : 'Create contact',
  };
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page('/contacts/edit', data, { title, place: 'contacts', styles: ['desk.css'], status });
}

/** Leaves out the errors of custom fields that stand beside their field. */
export function unshown(errors: FieldErrors, custom: readonly { readonly errors: readonly string[] }[]): FieldErrors {
  const { custom_fields: messages, ...others } = errors;
  const shown = custom.reduce((sum, field) => sum + field.errors.length, 0);
  return messages && messages.length > shown ? { ...others, custom_fields: messages } : others;
}

function readContact(page: PageRequest, definitions: readonly FieldDefinition[]): Record<string, unknown> {
  const { tags, ...changed } = changedFields(page, ['phone', 'bsuid', 'name', 'email', 'company', 'notes', 'tags']);
  const custom = readCustomValues(page, definitions);
  return {
    ...changed,
    ...(tags === undefined ? {} : { tags: readTags(tags) }),
    ...(custom ? { custom_fields: custom } : {}),
  };
}

async function readOne(page: PageRequest): Promise<WireContact> {
  return page.call<WireContact>('contacts.get', { receiver_id: page.params['receiver_id'] });
}

const emptyPage = { items: [], count: 0, next: null, previous: null };
