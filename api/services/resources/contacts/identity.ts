import { field, Fault, parseWith, text, type Field } from '../../../core/http/fields';
import { isBlank } from '../../../core/http/visible';
import { phoneDigits, readPhone } from '../../../core/phones';
import { reason } from '../reasons';
import { Reason } from '../../../core/http/reasons';

/** Country code, then a user id scoped to the business portfolio (upstream 1.1). */
export const bsuidPattern = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

export const noRecipient = reason('noRecipient');

/** Returns a phone number field; its value is the digits without the plus. */
export function phoneField(): Field<string> {
  return field<string>(
    {
      type: 'string',
      description: 'Phone number in E.164; what people write between its digits is left out.',
      examples: ['+15551230001'],
    },
    (raw) => {
      if (typeof raw !== 'string' && typeof raw !== 'number') return new Fault(reason('noText'));
      if (isBlank(String(raw))) return new Fault(reason('blank'));
      return readPhone(raw);
    },
  );
}

/** Returns a field that takes a phone number or a business-scoped user id, as it was written. */
export function recipientField(): Field<string> {
  const base = text({ max: 160, blank: false });
  return field<string>(base.spec.meta?.json ?? {}, (raw) => {
    const value = parseWith(base, raw);
    if (value instanceof Fault) return value;
    const whole = typeof raw !== 'number' || Number.isSafeInteger(raw);
    if (whole && parseRecipient(value)) return value;
    const phone = readPhone(raw);
    // Why it is no number is said, but not that numbers alone are taken.
    const [no] = phone instanceof Fault ? phone.reasons : [];
    const why = no instanceof Reason ? no.given['why'] : undefined;
    return new Fault(why === undefined ? noRecipient : reason('because', { what: noRecipient, why }));
  });
}

/** Returns a business-scoped user id field, taken verbatim. */
export function bsuidField(): Field<string> {
  return field<string>({ type: 'string', pattern: bsuidPattern.source, maxLength: 160 }, (raw) => {
    // In a form everything is text, a number too: the refusal has the same words.
    if (typeof raw !== 'string' && typeof raw !== 'number') return new Fault(reason('noText'));
    const id = bareId(String(raw));
    return bsuidPattern.test(id) ? id : new Fault(reason('noUserId'));
  });
}

/** Returns an id without what nobody sees of a copied one. */
function bareId(text: string): string {
  return text.replace(/\p{Cf}/gu, '').trim();
}

/** The identity of a customer: a phone number, a business-scoped user id, or both. */
export interface Identity {
  readonly phone: string | null;
  readonly bsuid: string | null;
}

/** Reads `to` of a send: a phone number or a business-scoped user id; null when it is neither. */
export function parseRecipient(raw: string): Identity | null {
  const bsuid = bareId(raw);
  if (bsuidPattern.test(bsuid)) return { phone: null, bsuid };
  const phone = phoneDigits(raw);
  return phone ? { phone, bsuid: null } : null;
}
