import { replyShape } from '../../../services/resources/cannedReplies/serializer';
import { loadTeam } from '../lookups';
import { definePages, type PageAnswer, type PageRequest, type Toast } from '../page';
import { Mentionable, Suggestion } from '../suggestions';
import { readList } from '../typedCalls';
import { words } from '../words';
import { composerPart } from './composer';
import { inboxPath, readFilters } from './filters';
import { loadThread } from './load';
import { triggers } from './triggers';

const { teamwork: said } = words.inbox;

/** What members do for each other in a conversation: notes, handing over, and who is there. */
export const teamworkPages = definePages([
  { method: 'POST', path: `${inboxPath}:receiver/notes/`, scope: 'chat.view', run: writeNote },
  { method: 'POST', path: `${inboxPath}:receiver/handover/`, scope: 'chat.assign', run: handOver },
  { method: 'POST', path: `${inboxPath}:receiver/presence/`, scope: 'chat.view', run: givePresence },
  { method: 'GET', path: `${inboxPath}presence/`, scope: 'chat.view', run: showPresence },
  { method: 'GET', path: `${inboxPath}:receiver/suggestions/`, scope: 'chat.view', run: showSuggestions },
]);

async function writeNote(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const filters = readFilters(page.query);
  const { body } = page.form;
  const written = await page.attempt(() =>
    page.callOnce('notes.create', page.form['once'] ?? '', { receiver_id: receiver, body }),
  );
  const errors = 'errors' in written ? written.errors : {};
  if (!page.isPartial) {
    const toast =
      'errors' in written ? { text: Object.values(errors).flat().join(' '), kind: 'bad' as const } : undefined;
    return page.redirect(page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, filters), toast);
  }
  const values = { mode: 'note', ...('errors' in written ? { body: body ?? '' } : {}) };
  const composer = await composerPart(page, await loadThread(page, receiver), filters, values, errors);
  if ('errors' in written) return page.part(composer, { status: 422 });
  const answer = page.part(composer);
  return { ...answer, headers: { 'HX-Trigger': triggers(undefined, { thread: true }) } };
}

/** Hands a conversation over with a note; `to` is a field of the operation with its value. */
async function handOver(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { to = '', note, once = '' } = page.form;
  const [field = '', id] = to.split('-');
  const done = await page.attempt(() =>
    page.callOnce('handovers.create', once, { [field]: id, receiver_id: receiver, note }),
  );
  const toast: Toast =
    'errors' in done ? { text: Object.values(done.errors).flat().join(' '), kind: 'bad' } : { text: said.handedOver };
  if (!page.isPartial)
    return page.redirect(page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, readFilters(page.query)), toast);
  return { status: 204, html: '', headers: { 'HX-Trigger': triggers(toast, { thread: true }) } };
}

/** Who is in a conversation, as its operation gives it. */
interface WirePresence {
  readonly conversation_id: number;
  readonly member: { readonly id: number; readonly name: string; readonly email: string };
  readonly state: 'looking' | 'writing';
}

function presencePart(page: PageRequest, found: readonly WirePresence[]): PageAnswer {
  const others = found.filter(({ member }) => member.id !== page.member.id);
  const ids = [...new Set(others.map(({ conversation_id: id }) => id))];
  return page.part(
    <ul id="presence" hidden>
      {ids.map((id) => {
        const here = others.filter(({ conversation_id: of }) => of === id);
        const names = (state: WirePresence['state']): readonly string[] =>
          here.flatMap(({ member, state: own }) => (own === state ? [member.name || member.email] : []));
        const [writing, looking] = [names('writing'), names('looking')];
        const texts = [said.writing(writing), said.looking(looking)];
        return (
          <li data-in={id} data-writing={writing.length > 0 ? '' : undefined}>
            {texts.filter(Boolean).join(' · ')}
          </li>
        );
      })}
    </ul>,
  );
}

/** Notes what the member does in a conversation; tells who is where. */
async function givePresence(page: PageRequest): Promise<PageAnswer> {
  const { state } = page.form;
  return presencePart(page, await page.call('presence.set', { receiver_id: page.params['receiver'], state }));
}

async function showPresence(page: PageRequest): Promise<PageAnswer> {
  return presencePart(page, await page.call('presence.list'));
}

/** Returns the canned replies, filled in for this customer, and the members. */
async function showSuggestions(page: PageRequest): Promise<PageAnswer> {
  const query = { receiver_id: page.params['receiver'] };
  const [replies, { members }] = await Promise.all([
    readList(page, replyShape, 'cannedReplies.list', query),
    loadTeam(page),
  ]);
  return page.part(
    <>
      {replies.map(({ id, shortcut, body, filled, files }) => (
        <Suggestion
          id={`reply-${id}`}
          sign="/"
          word={shortcut}
          insert={filled ?? body}
          detail={[filled ?? body, ...files.map(({ filename }) => filename)].join(' · ')}
          files={files}
        />
      ))}
      <Mentionable page={page} members={members} />
    </>,
  );
}
