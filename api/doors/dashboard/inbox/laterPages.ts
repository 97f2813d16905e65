import { definePages, type PageAnswer, type PageRequest } from '../page';
import { words } from '../words';
import { inboxPath } from './filters';
import { localMoment } from './later';
import { changed, refused } from './open';

const { later: said } = words.thread;

/** What is done about messages that wait. */
export const laterPages = definePages([
  { method: 'POST', path: `${inboxPath}:receiver/later/`, scope: 'chat.send_message', run: decide },
]);

async function decide(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { id = '', what = '', body } = page.form;
  const done = await page.attempt(async () => {
    if (what === 'now') {
      await page.call('messages.sendNow', { id });
      return said.sentNow;
    }
    if (what === 'not') {
      await page.call('messages.delete', { id });
      return said.discarded;
    }
    const at = localMoment(page);
    const change = { id, send_at: at, message_status: 'scheduled', ...(body === undefined ? {} : { body }) };
    await page.call('messages.update', change);
    return said.sentAt(page.moment(at));
  });
  if ('errors' in done) return refused(page, receiver, done.errors);
  return changed(page, receiver, { text: done.value });
}
