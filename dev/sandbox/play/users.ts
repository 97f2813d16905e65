import type { Context } from '../context';
import { ControlError } from './controlError';
import { userIdFor } from '../state';
import type { Account, JsonObject, PhoneNumber, User } from '../types';
import { digitsOf, isObject, otherSpelling, textOf } from '../util';

/** Returns the account that a control call means: by id, by number, or the only one. */
export function accountFor(context: Context, input: JsonObject): Account {
  const { state } = context;
  const id = textOf(input['business_account_id']);
  const phone = state.phones.get(textOf(input['phone_number_id']) ?? '');
  const account = id ? state.accounts.get(id) : phone ? state.accountOf(phone) : [...state.accounts.values()][0];
  if (!account)
    throw new ControlError(404, id ? `No account ${id}.` : 'No account is registered; POST /_control/accounts first.');
  return account;
}

export function phoneFor(context: Context, input: JsonObject, account?: Account): PhoneNumber {
  const id = textOf(input['phone_number_id']);
  const phone = id ? context.state.phones.get(id) : (account ?? accountFor(context, input)).phone_numbers[0];
  if (!phone) throw new ControlError(404, id ? `No phone number ${id}.` : 'The account has no phone number.');
  return phone;
}

/** Returns the user that `user` or `from` names; a call that names none is refused. */
export function selectUser(context: Context, account: Account, input: JsonObject, create: boolean): User {
  const given = input['user'] ?? input['from'];
  const selector: JsonObject = isObject(given) ? given : typeof given === 'string' ? asSelector(given) : {};
  const key = textOf(selector['key']);
  const found = key ? context.state.userByKey(account.business_account_id, key) : undefined;
  if (found) return create ? applyUser(context, found, selector) : found;
  if (!selector['phone'] && !selector['user_id'] && !selector['username'])
    throw new ControlError(400, 'Name the user by phone, user_id, username or key.');
  return upsertUser(context, account, selector, create);
}

function asSelector(value: string): JsonObject {
  return /^\+?\d+$/.test(value) ? { phone: value } : { user_id: value };
}

/** Finds or creates a user by the given identities, then applies the other fields. */
export function upsertUser(context: Context, account: Account, input: JsonObject, create = true): User {
  const { state } = context;
  const waba = account.business_account_id;
  const phone = input['phone'] ? digitsOf(String(input['phone'])) : undefined;
  const userId = textOf(input['user_id']);
  const username = textOf(input['username'])?.replace(/^@/, '');
  let user = userId ? state.findUser(waba, { user_id: userId }) : undefined;
  const holder = phone ? state.userByPhone(waba, phone) : undefined;
  if (!user && holder && (!userId || holder.user_id === userId)) user = holder;
  if (!user && !userId && !phone && username) user = state.findUser(waba, { username });
  if (!user && !create) throw new ControlError(404, 'No such user.');
  if (phone && holder && holder !== user) {
    // The number went to another person: its earlier holder stays, without it.
    state.dropUser(holder);
    delete holder.phone;
    holder.hidden = true;
    state.putUser(holder);
  }
  user ??= state.addUser(waba, { phone, user_id: userId, username }, textOf(input['name']));
  if (phone && user.phone !== phone) {
    state.dropUser(user);
    user.phone = phone;
    state.putUser(user);
  }
  return applyUser(context, user, input);
}

/** Sets whatever of name, user name and flags the input carries. */
export function applyUser(context: Context, user: User, input: JsonObject): User {
  const name = textOf(input['name']);
  if (name) user.name = name;
  if ('username' in input) user.username = textOf(input['username'])?.replace(/^@/, '') || undefined;
  if ('parent_user_id' in input) user.parent_user_id = textOf(input['parent_user_id']) || undefined;
  for (const flag of ['hidden', 'opted_out', 'blocked'] as const)
    if (typeof input[flag] === 'boolean') user[flag] = input[flag];
  const other = input['respell'] === true && user.phone ? otherSpelling(user.phone) : undefined;
  if (other) {
    context.state.dropUser(user);
    user.phone = other;
    context.state.putUser(user);
  }
  if (isObject(input['windows'])) user.windows = input['windows'] as Record<string, number>;
  context.changed();
  return user;
}

/** Gives a user a new phone number, with which the business-scoped id changes. Returns the old identities. */
export function changeNumber(
  context: Context,
  user: User,
  phone: string,
  userId?: string,
): { phone?: string; user_id: string } {
  const before = { phone: user.phone, user_id: user.user_id };
  context.state.dropUser(user);
  const digits = digitsOf(phone);
  const holder = context.state.userByPhone(user.business_account_id, digits);
  if (holder) {
    context.state.dropUser(holder);
    delete holder.phone;
    context.state.putUser(holder);
  }
  user.phone = digits;
  user.user_id = userId ?? userIdFor(user.business_account_id, digits, digits);
  context.state.putUser(user);
  return before;
}

/** Gives a user a new business-scoped id without a number to show. Returns the old identities. */
export function changeUserId(context: Context, user: User, userId?: string): { phone?: string; user_id: string } {
  const before = { phone: user.phone, user_id: user.user_id };
  context.state.dropUser(user);
  user.user_id = userId ?? userIdFor(user.business_account_id, `${user.user_id}+`, user.phone);
  context.state.putUser(user);
  return before;
}
