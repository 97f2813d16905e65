import { choicesShown, type ChoiceKind } from '../choices';
import type { WireContact, WirePage } from './wire';

/** Contacts, by a part of their name, number or address; the value is the receiver id. */
export const contactChoices: ChoiceKind = {
  path: '/dashboard/contacts/choices/',
  scope: 'contact.view',
  title: 'Contacts',
  placeholder: 'Name, number or address',
  question: 'Who is meant?',
  find: async (page, text) => {
    const query = { search: text, page_size: choicesShown };
    const { items } = await page.call<WirePage<WireContact>>('contacts.list', query, { countsUpTo: 1 });
    return items.map(({ receiver_id: value, name, phone, email, company }) => ({
      value,
      name: name || phone || value,
      detail: [name ? phone || value : '', email, company].filter(Boolean).join(' · '),
    }));
  },
};
