import type { PageRequest, Toast } from '../page';
import { words } from '../words';

/** Takes the thread from another application, or gives it back; returns what the page says of it. */
export async function askForThread(page: PageRequest): Promise<Toast> {
  const { action = 'take' } = page.form;
  const done = await page.attempt(() =>
    page.call('conversations.threadControl', { receiver_id: page.params['receiver'] ?? '', action }),
  );
  if ('errors' in done) return { text: Object.values(done.errors).flat().join(' '), kind: 'bad' };
  return { text: action === 'release' ? words.thread.owner.given : words.thread.owner.taken };
}
