import type { AnswerOf } from '../../../core/http/shapes';
import { contactShape } from '../../../services/resources/contacts/serializer';
import type { PageRequest } from '../page';
import { readOne } from '../typedCalls';

/** A contact as the API answers it. */
export type Contact = AnswerOf<typeof contactShape>;

/** Where the contacts are. */
export const contactsPath = '/dashboard/contacts/';

/** Address of a contact's page. */
export const contactPath = (receiverId: string): string => `${contactsPath}${encodeURIComponent(receiverId)}/`;

/** What a contact is called. */
export const titleOf = ({ name, phone }: Pick<Contact, 'name' | 'phone'>): string => name || phone;

/** Reads the contact that the path names. Throws 404. */
export function readContact(page: PageRequest): Promise<Contact> {
  return readOne(page, contactShape, 'contacts.get', { receiver_id: page.params['receiver_id'] });
}
