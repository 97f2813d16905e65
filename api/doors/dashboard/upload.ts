import { sendJson } from '../http/errorHandler';
import { openUpload } from '../http/uploads';
import { definePages, handled, type Handled, type PageRequest } from './page';

/** Files that scripts upload beside a page, before what they belong to is sent. */
export const uploadPages = definePages([
  { method: 'POST', path: '/dashboard/media/', scope: 'chat.send_message', uploads: true, run: keep },
]);

async function keep(page: PageRequest): Promise<Handled> {
  const { req, res } = page;
  const kept = await page.call('media.create', { ...(await openUpload(req, res)) });
  sendJson(res, 201, kept);
  return handled;
}
