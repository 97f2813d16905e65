import { contactShape } from '../../../services/resources/contacts/serializer';
import { definitionsFor } from '../forms';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { readForm, showForm } from './edit';
import { showList } from './list';
import { propertiesPart, showContact } from './show';
import { contactPath, contactsPath, readContact } from './read';

const { contacts: said } = words;
const one = `${contactsPath}:receiver_id/`;

/** Contacts: the list, one contact, creating, editing, opting out and erasing. */
export const contactPages = definePages([
  { method: 'GET', path: contactsPath, scope: 'contact.view', run: showList },
  { method: 'GET', path: `${contactsPath}new/`, scope: 'contact.edit', run: (page) => showForm(page) },
  { method: 'POST', path: `${contactsPath}new/`, scope: 'contact.edit', run: create },
  {
    method: 'GET',
    path: one,
    scope: 'contact.view',
    asksOnce: true,
    run: async (page) => showContact(page, await readContact(page)),
  },
  { method: 'POST', path: `${one}edit/`, scope: 'contact.edit', run: save },
  { method: 'POST', path: `${one}opt-out/`, scope: 'contact.edit', run: optOut },
  {
    method: 'POST',
    path: `${one}erase/`,
    scope: 'contact.delete',
    confirm: said.erase.ask,
    run: async (page) => {
      await page.call('contacts.delete', { receiver_id: page.params['receiver_id'] });
      return page.redirect(contactsPath, { text: said.erase.done });
    },
  },
]);

async function create(page: PageRequest): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts');
  const saved = await page.attempt(async () =>
    readOne(page, contactShape, 'contacts.create', readForm(page, definitions)),
  );
  if ('errors' in saved) return showForm(page, saved.errors);
  return page.redirect(contactPath(saved.value.receiver_id), { text: said.form.created });
}

/** Saves what was changed in the page of a contact. */
async function save(page: PageRequest): Promise<PageAnswer> {
  const contact = await readContact(page);
  const { receiver_id: receiverId } = contact;
  const definitions = await definitionsFor(page, 'contacts');
  const saved = await page.attempt(async () =>
    page.call('contacts.update', { receiver_id: receiverId, ...readForm(page, definitions, contact) }),
  );
  const errors = 'errors' in saved ? saved.errors : {};
  if (page.isPartial) return propertiesPart(page, 'errors' in saved ? contact : await readContact(page), errors);
  if ('errors' in saved) return showContact(page, contact, errors);
  return page.redirect(contactPath(receiverId), { text: said.form.saved });
}

async function optOut(page: PageRequest): Promise<PageAnswer> {
  const optsOut = page.form['marketing_opt_out'] === 'true';
  const { receiver_id: receiverId } = await readContact(page);
  await page.call('contacts.update', { receiver_id: receiverId, marketing_opt_out: optsOut });
  return page.redirect(contactPath(receiverId), { text: optsOut ? said.marketing.out.done : said.marketing.in.done });
}
