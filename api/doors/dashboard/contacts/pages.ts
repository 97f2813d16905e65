import { cut } from '../../../core/text/cut';
import { convStatuses } from '../../../../models/enums';
import {
  filterView,
  optionsOf,
  pagerView,
  peopleOptions,
  sentence,
  type FilterView,
  type PagerView,
} from '../fieldViews';
import { invalid, type FieldErrors } from '../../../core/http/errors';
import { Fault } from '../../../core/http/fields';
import { readTypedPhone } from '../../../core/phones';
import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import {
  changedFields,
  customValueViews,
  definitionsFor,
  editedTags,
  formField,
  readCustomValues,
  shownValue,
  tagsOf,
  type FieldDefinition,
} from '../forms';
import { amountText } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { optOutForm, type OptOutForm } from './marketing';
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
      const definitions = await definitionsFor(page, 'contacts');
      const saved = await page.attempt(async () =>
        page.call<WireContact>('contacts.create', readContact(page, definitions)),
      );
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
      const definitions = await definitionsFor(page, 'contacts');
      const changes = readContact(page, definitions, contact);
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

/** The list of contacts. */
interface ListView {
  readonly contacts: readonly ContactRow[];
  /** The address of the list as a file; null when the list is empty. */
  readonly exportPath: string | null;
  readonly pager: PagerView | null;
  readonly filters: Readonly<Record<string, string>>;
  readonly isFiltered: boolean;
  readonly shown: readonly FilterView[];
  readonly errors: FieldErrors;
}

/** A contact as a row of the list. */
interface ContactRow extends Pick<WireContact, 'phone' | 'email' | 'company' | 'marketing_opt_out' | 'updated_at'> {
  readonly path: string;
  readonly title: string;
  /** Whether there is a name. On narrow screens the phone number is shown below it. */
  readonly hasName: boolean;
  readonly tags: readonly string[];
  /** The number of tags left out; empty when there are none. */
  readonly moreTags: string;
}

const tagsShown = 4;

function contactRow(contact: WireContact): ContactRow {
  const { name, phone, email, company, marketing_opt_out, updated_at } = contact;
  const tags = tagsOf(contact.tags) ?? [];
  return {
    phone,
    email,
    company,
    marketing_opt_out,
    updated_at,
    path: contactPath(contact.receiver_id),
    title: name || phone,
    hasName: name !== '',
    tags: tags.slice(0, tagsShown),
    moreTags: tags.length > tagsShown ? `+${tags.length - tagsShown}` : '',
  };
}

async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = contactFilters(page);
  const { cursor, page: number } = page.query;
  const [found, members] = await Promise.all([
    page.attempt(() => page.call<WirePage<WireContact>>('contacts.list', { ...filters, cursor, page: number })),
    page.callIfPermitted<WirePage<WireMember>>('teamMembers.list', { page_size: 200 }, emptyPage),
  ]);
  const contacts = 'value' in found ? found.value : emptyPage;
  const data: ListView = {
    contacts: contacts.items.map(contactRow),
    exportPath: contacts.count ? page.link(`${list}export/`, filters) : null,
    pager: pagerView(contacts, list, filters, amountText(contacts.count ?? 0, 'contact')),
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

/** Returns the filters above the list. */
function filterViews(filters: Readonly<Record<string, string>>, members: readonly WireMember[]): FilterView[] {
  const view = (name: string, label: string, options: Parameters<typeof filterView>[2]): FilterView =>
    filterView(name, label, options, filters[name]);
  return [
    view('conv_status', 'Status', [
      { value: '', label: 'Any status' },
      ...convStatuses.map((value) => ({ value, label: sentence(value) })),
    ]),
    view('assigned_member', 'Assigned to', [
      { value: '', label: 'Any assignee' },
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

interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Whether the contact gets marketing, and the form that changes it. */
interface MarketingView extends OptOutForm {
  readonly isOut: boolean;
  readonly at: string | null;
  /** How they opted out; empty when unknown. */
  readonly source: string;
}

/** A contact's page. */
interface ContactView {
  readonly contact: WireContact;
  readonly path: string;
  /** Their conversation, where the member may see it. */
  readonly chatPath: string | null;
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly tags: readonly { readonly tag: string; readonly href: string }[];
  /** Tags that are not a list of texts, as JSON; they cannot be edited here, only over the API. */
  readonly foreignTags: string;
  readonly fields: readonly Fact[];
  readonly marketing: MarketingView;
  readonly newTicket: string;
  /** Null: the member may not see conversations. */
  readonly activity: { readonly lines: ReturnType<typeof activityLines>; readonly hasMore: boolean } | null;
  readonly merges: ReturnType<typeof activityLines>;
  readonly tickets: readonly { readonly id: number; readonly title: string; readonly stage_name: string }[];
}

/** The most characters that are shown of values that other programs wrote. */
const maxTagsChars = 300;
const maxValueChars = 500;

const optOutWords: Readonly<Record<string, string>> = {
  keyword: 'by a word they wrote',
  platform: 'on the platform',
  api: 'over the API',
  member: 'by a member',
};

function marketingView(contact: WireContact): MarketingView {
  const { marketing_opt_out: isOut, marketing_opt_out_at: at, marketing_opt_out_source: source } = contact;
  return {
    ...optOutForm(isOut, contact.name || contact.phone),
    isOut,
    at,
    source: optOutWords[source ?? ''] ?? '',
  };
}

async function showContact(page: PageRequest): Promise<PageAnswer> {
  const contact = await readOne(page);
  const size = page.query['activity'] === 'all' ? 200 : activityShown;
  const [definitions, names, activity, tickets] = await Promise.all([
    definitionsFor(page, 'contacts'),
    loadActivityNames(page),
    page.callIfPermitted<WirePage<WireActivity> | null>(
      'conversations.activity',
      { receiver_id: contact.receiver_id, page_size: 200 },
      null,
    ),
    page.workspace.ticketing
      ? page.callIfPermitted<WirePage<ContactView['tickets'][number]>>(
          'tickets.list',
          { receiver: contact.id, limit: 10 },
          emptyPage,
        )
      : emptyPage,
  ]);
  const entries = activity?.items ?? [];
  const tags = tagsOf(contact.tags);
  const data: ContactView = {
    contact,
    path: contactPath(contact.receiver_id),
    chatPath: page.can('chat.view') ? `/dashboard/inbox/${encodeURIComponent(contact.receiver_id)}/` : null,
    title: contact.name || contact.phone,
    facts: [
      { label: 'User name', text: contact.username ? `@${contact.username}` : '' },
      { label: 'Email', text: contact.email },
      { label: 'Company', text: contact.company },
    ].filter(({ text }) => text !== ''),
    tags: (tags ?? []).map((tag) => ({ tag, href: page.link(list, { tag }) })),
    foreignTags: tags === null ? cut(JSON.stringify(contact.tags), maxTagsChars) : '',
    fields: [
      ...customValueViews(page, definitions, contact.custom_fields).map(({ label, shown }) => ({ label, text: shown })),
      ...Object.entries(contact.attributes).map(([name, value]) => ({
        label: name,
        text: cut(shownValue(value), maxValueChars),
      })),
    ].map(({ label, text }) => ({ label, text: text || '–' })),
    marketing: marketingView(contact),
    newTicket: page.link('/dashboard/tickets/new/', { receiver_id: contact.receiver_id }),
    activity: activity && {
      lines: activityLines(page, entries.slice(0, size), names),
      hasMore: entries.length > size,
    },
    merges: activityLines(
      page,
      entries.filter(({ kind }) => mergeKinds.has(kind)),
      names,
    ),
    tickets: tickets.items,
  };
  return page.page('/contacts/show', data, { title: data.title, place: 'contacts', styles: ['desk.css'] });
}

async function showForm(page: PageRequest, contact: WireContact | null, errors: FieldErrors = {}): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts');
  const tags = contact ? tagsOf(contact.tags) : [];
  const stored = { ...contact, tags: tags?.join(', ') ?? '' };
  const home = page.workspace.country;
  const phone = home
    ? `With + and the country code, or a number of ${home}.`
    : 'With the country code, as +49 151 5550001.';
  const hints = { phone, tags: 'With commas between them.' };
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
      errors,
    ),
  );
  const custom = customValueViews(page, definitions, contact?.custom_fields ?? {}, errors['custom_fields']);
  const title = contact ? `Edit ${contact.name || contact.phone}` : 'New contact';
  const data = {
    title,
    fields,
    named: fields.map(({ name }) => name),
    custom,
    errors: unshown(errors, custom),
    back: contact ? contactPath(contact.receiver_id) : list,
    button: contact ? 'Save' : 'Create contact',
  };
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page('/contacts/edit', data, { title, place: 'contacts', styles: ['desk.css'], status });
}

/** Leaves out the errors of custom fields that stand beside their field. */
export function unshown(errors: FieldErrors, custom: readonly { readonly errors: FieldErrors }[]): FieldErrors {
  const { custom_fields: messages, ...others } = errors;
  const shown = custom.flatMap((field) => Object.values(field.errors).flat()).length;
  return messages && messages.length > shown ? { ...others, custom_fields: messages } : others;
}

function readContact(
  page: PageRequest,
  definitions: readonly FieldDefinition[],
  contact?: WireContact,
): Record<string, unknown> {
  const { tags, ...changed } = changedFields(page, ['phone', 'bsuid', 'name', 'email', 'company', 'notes', 'tags']);
  const custom = readCustomValues(page, definitions);
  const phone = changed['phone'] ? readTypedPhone(changed['phone'], page.workspace.country) : null;
  if (phone instanceof Fault) throw invalid({ phone: [...phone.messages] });
  return {
    ...changed,
    ...(phone === null ? {} : { phone }),
    ...(tags === undefined ? {} : { tags: editedTags(contact?.tags, page.form['was.tags'], tags) }),
    ...(custom ? { custom_fields: custom } : {}),
  };
}

async function readOne(page: PageRequest): Promise<WireContact> {
  return page.call<WireContact>('contacts.get', { receiver_id: page.params['receiver_id'] });
}

const emptyPage = { items: [], count: 0, next: null, previous: null };
