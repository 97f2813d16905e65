import { api } from './api.js';
import { ask, pick } from './dialogs.js';
import { toast } from './dom.js';
import { base, page, state } from './state.js';

/** Plays an event of the platform and says so. */
export async function play(input, done) {
  await api('POST', '/events', { ...base(), ...input });
  await page.refresh();
  toast(`Played: ${done}`);
}

/** Changes the chosen customer. */
export async function changeUser(input, done) {
  const user = { key: state.user, ...input };
  await api('POST', '/users', { business_account_id: state.account.business_account_id, user });
  await page.refresh();
  toast(done);
}

/** Changes the business account as the platform has it. */
export async function changeAccount(input, done) {
  await api('POST', '/accounts', { business_account_id: state.account.business_account_id, ...input });
  await page.reload();
  toast(done);
}

/** Makes an action that asks for one of several words, or `[label, value]`, first. */
export function choosing(title, words, act) {
  return async () => {
    const options = words.map((item) => (Array.isArray(item) ? item : [item, item]));
    const word = await pick(title, options);
    if (word !== null) await act(word);
  };
}

/** Makes an action that asks for the values of some fields first. */
export function asking(title, fields, act) {
  return async () => {
    const values = await ask(title, typeof fields === 'function' ? fields() : fields);
    if (values) await act(values);
  };
}

/** Returns what is chosen in a select of the panel. */
export function chosen(id) {
  return document.getElementById(id)?.value ?? '';
}

/** Returns the id of the last message of the chat that fits, or null. */
export function lastMessage(fits) {
  const found = (state.chat?.messages ?? []).filter((message) => message.type !== 'reaction' && fits(message));
  return found.at(-1)?.wamid ?? null;
}

/** Finds the last message of the business that arrived. */
export const lastFromBusiness = () => lastMessage((message) => !message.mine && !message.lost);
/** Finds the last message of the business, arrived or not. */
export const lastSent = () => lastMessage((message) => !message.mine);
/** Finds the last message of the customer. */
export const lastOwn = () => lastMessage((message) => message.mine && !message.system);
