import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import type { PageAnswer, PageRequest } from '../page';
import { readFilters } from './filters';

/** Returns the activity of a conversation, as a page or beside its thread. */
export async function showActivity(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const [activity, names] = await Promise.all([
    page.call<{ items: WireActivity[] }>('conversations.activity', { receiver_id: receiver, page_size: 50 }),
    loadActivityNames(page),
  ]);
  const lines = activityLines(page, activity.items, names);
  const back = page.link(`/dashboard/inbox/${encodeURIComponent(receiver)}/`, readFilters(page.query));
  return page.isPartial
    ? page.part('/inbox/activity', { lines })
    : page.page('/inbox/activity', { lines, back }, { title: 'Activity', place: 'inbox', styles: ['desk.css'] });
}
