import type { Context } from '../context';
import { GraphError } from './errors';
import { countryOf } from '../state';
import { missing } from './checks';
import type { Account, JsonObject, PhoneNumber, SentRecord, User } from '../types';
import { digitsOf } from '../util';

const userIdPattern = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

export interface Recipient {
  /** What the response repeats as `input`. */
  input: string;
  /** Digits, business-scoped id or group id. */
  to: string;
  via: SentRecord['via'];
  phone?: string;
  userId?: string;
  foreign: boolean;
}

/** Reads `to` and `recipient`; both may be given, then the phone wins. */
export function readRecipient(context: Context, account: Account, phone: PhoneNumber, body: JsonObject): Recipient {
  const to = body['to'];
  const recipient = body['recipient'];
  const kind = body['recipient_type'];
  if (kind !== undefined && kind !== 'individual' && kind !== 'group') {
    throw new GraphError(131009, 'Param recipient_type must be one of {individual, group}.');
  }
  const hasTo = to !== undefined && to !== null && to !== '';
  const hasRecipient = recipient !== undefined && recipient !== null && recipient !== '';
  if (!hasTo && !hasRecipient) throw missing('to or recipient');
  if (hasTo && typeof to !== 'string') throw new GraphError(100, 'Param to must be a string.');
  if (hasRecipient && (typeof recipient !== 'string' || !userIdPattern.test(recipient))) {
    throw new GraphError(131009, 'Param recipient is not a valid business-scoped user id.');
  }
  if (kind === 'group') {
    if (!hasTo) throw missing('to');
    return { input: to as string, to: to as string, via: 'group', foreign: false };
  }
  const userId = hasRecipient ? (recipient as string) : undefined;
  if (!hasTo) {
    return {
      input: userId as string,
      to: userId as string,
      via: 'user_id',
      userId,
      foreign: context.state.isForeignUserId(account.business_account_id, userId as string),
    };
  }
  const digits = phoneDigits(to as string, phone);
  if (digits === digitsOf(phone.display_phone_number)) throw new GraphError(131021);
  return {
    input: to as string,
    to: digits,
    via: hasRecipient ? 'both' : 'phone',
    phone: digits,
    userId,
    foreign: false,
  };
}

/** Returns the digits of a phone. A short one without a plus is national: it gets the business's country code. */
function phoneDigits(value: string, phone: PhoneNumber): string {
  if (!/^\+?[\d\s().-]+$/.test(value)) {
    throw new GraphError(
      131009,
      userIdPattern.test(value)
        ? 'Param to must be a phone number; put a business-scoped user id in recipient.'
        : 'Param to is not a valid phone number.',
    );
  }
  const digits = digitsOf(value);
  if (digits.length < 5 || digits.length > 15) throw new GraphError(131009, 'Param to is not a valid phone number.');
  if (value.startsWith('+') || digits.length > 10) return digits;
  return countryOf(digitsOf(phone.display_phone_number)).dial + digits;
}

/** Returns the user behind a recipient, created when never seen before. */
export function userFor(context: Context, account: Account, recipient: Recipient): User {
  const { state } = context;
  const waba = account.business_account_id;
  if (recipient.via === 'group') {
    const userId = `GROUP.${recipient.to}`;
    return (
      state.findUser(waba, { user_id: userId }) ?? state.addUser(waba, { user_id: userId }, `Group ${recipient.to}`)
    );
  }
  if (recipient.phone) {
    const known = state.userByPhone(waba, recipient.phone);
    if (known) return known;
    const byId = recipient.userId ? state.findUser(waba, { user_id: recipient.userId }) : undefined;
    if (byId && !byId.phone) {
      state.dropUser(byId);
      byId.phone = recipient.phone;
      state.putUser(byId);
      return byId;
    }
    return state.addUser(waba, { phone: recipient.phone, user_id: byId ? undefined : recipient.userId });
  }
  return state.findUser(waba, { user_id: recipient.userId }) ?? state.addUser(waba, { user_id: recipient.userId });
}
