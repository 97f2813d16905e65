import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import type { PageAnswer, PageRequest } from '../page';
import { words } from '../words';
import { inboxPath, readFilters } from './filters';

const { details: said } = words;

/** Returns the activity of a conversation, as a page or beside its thread. */
export async function showActivity(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const [activity, names] = await Promise.all([
    page.call<{ items: WireActivity[] }>('conversations.activity', { receiver_id: receiver, page_size: 50 }),
    loadActivityNames(page),
  ]);
  const lines = activityLines(page, activity.items, names);
  const trail = (
    <div class="activity" id="activity">
      {lines.length === 0 ? (
        <p class="soft">{said.noActivity}</p>
      ) : (
        <ol class="trail">
          {lines.map(({ who, what, at, details }) => (
            <li>
              <p>
                <strong>{who}</strong> {what} <span class="soft small">{page.timePart(at, 'full')}</span>
              </p>
              {details.map((detail) => (
                <p class="soft small">{detail}</p>
              ))}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
  if (page.isPartial) return page.part(trail);
  const body = (
    <div class="column">
      <div class="page-head">
        <h1>{said.activity}</h1>
        <a class="button" href={page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, readFilters(page.query))}>
          {said.back}
        </a>
      </div>
      {trail}
    </div>
  );
  return page.page(body, { title: said.activity, place: 'inbox', styles: ['desk.css'] });
}
