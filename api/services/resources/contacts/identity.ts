import { field, Fault, parseWith, text, type Field } from '../../../core/http/fields';

/** Country code, then a user id scoped to the business portfolio (upstream 1.1). */
export const bsuidPattern = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

export const invalidPhone = 'Enter a valid phone number in E.164 format, for example +15551230001.';
export const invalidRecipient = 'Enter a phone number in E.164 format or a business-scoped user id.';

/**
 * Returns the digits of a phone number in E.164, or null when the value is none. In a text, spaces, dashes, dots and
 * brackets may part them; a number has to be whole, since its point parts nothing.
 */
export function phoneDigits(raw: unknown): string | null {
  if (typeof raw !== 'string' && !Number.isSafeInteger(raw)) return null;
  const compact = String(raw).replace(/[\s().\u00a0-]/g, '');
  const match = /^\+?([1-9]\d{6,14})$/.exec(compact);
  return match?.[1] ?? null;
}

/** Returns a phone number field; its value is the digits without the plus. */
export function phoneField(): Field<string> {
  return field<string>(
    {
      type: 'string',
      description: 'Phone number in E.164; spaces, dashes and brackets are stripped.',
      examples: ['+15551230001'],
    },
    (raw) => {
      if (typeof raw !== 'string' && typeof raw !== 'number') return new Fault('Not a valid string.');
      if (String(raw).trim() === '') return new Fault('This field may not be blank.');
      return phoneDigits(raw) ?? new Fault(invalidPhone);
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
    return whole && parseRecipient(value) ? value : new Fault(invalidRecipient);
  });
}

/** Returns a business-scoped user id field, taken verbatim. */
export function bsuidField(): Field<string> {
  return field<string>({ type: 'string', pattern: bsuidPattern.source, maxLength: 160 }, (raw) => {
    // In a form everything is text, a number too: the refusal has the same words.
    if (typeof raw !== 'string' && typeof raw !== 'number') return new Fault('Not a valid string.');
    const id = String(raw).trim();
    return bsuidPattern.test(id)
      ? id
      : new Fault('Enter a valid business-scoped user id, for example US.77001122334455.');
  });
}

/** The identity of a customer: a phone number, a business-scoped user id, or both. */
export interface Identity {
  readonly phone: string | null;
  readonly bsuid: string | null;
}

/** Reads `to` of a send: a phone number or a business-scoped user id; null when it is neither. */
export function parseRecipient(raw: string): Identity | null {
  const text = raw.trim();
  if (bsuidPattern.test(text)) return { phone: null, bsuid: text };
  const phone = phoneDigits(text);
  return phone ? { phone, bsuid: null } : null;
}
