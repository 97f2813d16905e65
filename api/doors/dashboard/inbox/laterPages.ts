import { definePages, type PageAnswer, type PageRequest } from '../page';
import { words } from '../words';
import { inboxPath } from './filters';
import { localMoment } from './later';
import { changed, refused } from './openConversation';

const { later: said } = words.thread;

/** What is done about messages and rules that wait. */
export const laterPages = definePages([
  { method: 'POST', path: `${inboxPath}:receiver/later/`, scope: 'chat.send_message', run: decide },
  { method: 'POST', path: `${inboxPath}:receiver/wait/`, scope: 'macro.manage', run: decideWait },
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

async function decideWait(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { id = '', run: run_id = '', what = '' } = page.form;
  const done = await page.attempt(async () => {
    if (what === 'not') {
      await page.call('rules.endRun', { id, run_id });
      return said.rule.nothing;
    }
    const moment = what === 'now' ? page.now.toISOString() : localMoment(page);
    await page.call('rules.moveRun', { id, run_id, moment });
    return what === 'now' ? said.rule.now : said.rule.at(page.moment(moment));
  });
  if ('errors' in done) return refused(page, receiver, done.errors);
  return changed(page, receiver, { text: done.value });
}
