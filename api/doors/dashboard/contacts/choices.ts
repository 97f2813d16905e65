import { contactShape } from '../../../services/resources/contacts/serializer';
import { choicesShown, type ChoiceKind } from '../choices';
import { readPage } from '../typedCalls';
import { words } from '../words';

/** Contacts, by a part of their name, number or address; the value is the receiver id. */
export const contactChoices: ChoiceKind = {
  path: '/dashboard/contacts/choices/',
  scope: 'contact.view',
  get title() {
    return words.contacts.choices.title;
  },
  get placeholder() {
    return words.contacts.choices.placeholder;
  },
  get question() {
    return words.contacts.choices.question;
  },
  find: async (page, text) => {
    const query = { search: text, page_size: choicesShown, count: false };
    const { items } = await readPage(page, contactShape, 'contacts.list', query);
    return items.map(({ receiver_id: value, name, phone, email, company }) => ({
      value,
      name: name || phone || value,
      detail: [name ? phone || value : '', email, company].filter(Boolean).join(' · '),
    }));
  },
};
