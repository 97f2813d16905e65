import { api } from './api.js';

/** What the page shows now. */
export const state = {
  accounts: [],
  account: null,
  phone: null,
  people: [],
  /** Key of the chosen customer. */
  user: null,
  chat: null,
  replyTo: null,
};

/** What the modules call when something changed; the page's entry sets both. */
export const page = {
  /** Reads everything again and draws it. */
  refresh: async () => undefined,
  /** The same, accounts included. */
  reload: async () => undefined,
};

/** Returns account and number as a query. */
export function scope() {
  return `business_account_id=${state.account.business_account_id}&phone_number_id=${state.phone.id}`;
}

/** Returns account, number and customer as every call that plays something needs them. */
export function base() {
  return {
    business_account_id: state.account.business_account_id,
    phone_number_id: state.phone.id,
    user: { key: state.user },
  };
}

/** Sends a message as the chosen customer; `about` is the message that it answers. */
export async function sendMessage(message, about, more) {
  if (!state.user) throw new Error('Choose or make a customer first.');
  await api('POST', '/inbound', { ...base(), message, ...more, ...(about ? { reply_to: about } : {}) });
  await page.refresh();
}
