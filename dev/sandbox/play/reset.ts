import type { Context } from '../context';
import { defaultSettings } from '../state';
import type { Limits } from '../wire/limits';

/** Forgets messages, faults, logs and changed settings, and with `users` the customers. */
export function reset(context: Context, limits: Limits, users: boolean): void {
  context.scheduler.clear();
  context.webhooks.clear();
  context.webhooks.paused = false;
  context.state.clearMessages();
  context.faults.clear();
  context.calls.clear();
  context.receiver.reset();
  limits.clear();
  context.state.settings = defaultSettings();

  for (const account of context.state.accounts.values()) {
    for (const user of context.state.users(account.business_account_id)) {
      if (users) context.state.dropUser(user);
      else Object.assign(user, { windows: {}, referrals: {} });
    }
  }
  context.changed();
}
