import type { ContactRow } from '../../../../models';
import { phoneOrBsuid } from './serializer';

/** Returns the first name in a name: what stands before its first blank, or behind the comma of `Last, First`. */
export function firstNameOf(name: string): string {
  const [last = '', first = ''] = name.split(',').map((part) => part.trim());
  return first || (last.split(/\s/)[0] ?? '');
}

/** Returns what a contact has for a placeholder. */
export function contactValue(
  field: 'name' | 'first_name' | 'phone' | 'email' | 'company',
  contact: Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company'>,
): string {
  if (field === 'first_name') return firstNameOf(contact.name);
  return field === 'phone' ? phoneOrBsuid(contact) : contact[field];
}
