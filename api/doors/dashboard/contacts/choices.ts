import type { FieldGiven } from '../fieldViews';
import { definePages, type PageRequest } from '../page';
import type { WireContact, WirePage } from './wire';

const choicesPath = '/dashboard/contacts/choices/';
const choicesShown = 8;

/** A contact to choose. */
interface Choice {
  readonly value: string;
  readonly name: string;
  readonly detail: string;
}

/** A field for a contact: people type a name, a number or an address, and the form says the receiver id. */
export interface ContactField {
  readonly field: FieldGiven;
  /** The name of the field that says the receiver id. */
  readonly name: string;
  readonly chosen: string;
  /** The id of the list below the field. */
  readonly list: string;
  /** Who may have been meant, when what was typed was refused. */
  readonly choices: readonly Choice[];
}

interface Asked {
  readonly name: string;
  readonly label: string;
  /** The receiver id of whom it stands for at first. */
  readonly stored?: string | undefined;
  /** Why what was typed was refused. */
  readonly refused?: string[] | undefined;
  readonly required?: boolean;
}

/** Builds a field for a contact: with what was typed before, else with who is stored. */
export async function contactField(page: PageRequest, asked: Asked): Promise<ContactField> {
  const { name, label, stored = '', refused = [], required = false } = asked;
  const typed = page.form['contact'] ?? '';
  const chosen = page.form[name] ?? (typed === '' ? stored : '');
  const known = chosen === '' ? undefined : (await findContacts(page, chosen)).find(({ value }) => value === chosen);
  const list = `contacts-${name}`;
  return {
    name,
    // A handle that nobody is found by stays to be seen, so that it can be mended.
    chosen: known ? chosen : '',
    list,
    choices: refused.length > 0 ? await findContacts(page, typed) : [],
    field: {
      name: 'contact',
      id: `field-${name}`,
      label,
      value: known?.name ?? (typed || chosen),
      errors: refused.length > 0 ? { contact: refused } : {},
      required,
      attributes: {
        placeholder: 'Name, number or address',
        autocomplete: 'off',
        maxlength: '255',
        ...(page.may('contacts.list')
          ? {
              role: 'combobox',
              'aria-autocomplete': 'list',
              'aria-expanded': 'false',
              'aria-controls': list,
              'hx-get': choicesPath,
              'hx-trigger': 'input changed delay:150ms',
              'hx-target': `#${list}`,
              'hx-swap': 'innerHTML',
              'hx-sync': 'this:replace',
            }
          : {}),
      },
    },
  };
}

/** Reads a field for a contact: who was chosen, else what was typed. */
export function readChosen(page: PageRequest, name: string): string {
  return page.form[name] || (page.form['contact'] ?? '').trim();
}

/** Finds contacts by a part of their name, number or address; none where the member may not see them. */
async function findContacts(page: PageRequest, text: string): Promise<readonly Choice[]> {
  if (text.trim() === '' || !page.may('contacts.list')) return [];
  const query = { search: text, page_size: choicesShown };
  const { items } = await page.call<WirePage<WireContact>>('contacts.list', query, { countsUpTo: 1 });
  return items.map(({ receiver_id: value, name, phone, email, company }) => ({
    value,
    name: name || phone || value,
    detail: [name ? phone || value : '', email, company].filter(Boolean).join(' · '),
  }));
}

/** The list below a field for a contact, asked for as somebody types. */
export const contactChoicePages = definePages([
  {
    method: 'GET',
    path: choicesPath,
    scope: 'contact.view',
    run: async (page) => {
      const found = await page.attempt(() => findContacts(page, page.query['contact'] ?? ''));
      return page.part('/contacts/choices', { choices: 'value' in found ? found.value : [] });
    },
  },
]);
