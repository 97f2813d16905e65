import { askingOnce } from '../../../core/db/database';
import { loadTeam } from '../lookups';
import type { FieldErrors } from '../../../core/http/errors';
import type { MacroView } from '../../../services/resources/macros/serializer';
import { Form } from '../parts';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest, Toast } from '../page';
import { words } from '../words';
import { composerPart } from './composer';
import { detailsPart } from './details';
import { inboxPath, readFilters, type InboxFilters } from './filters';
import { Head } from './head';
import type { HeadParts } from './headTools';
import { loadThread } from './load';
import { MessageMenu } from './messageMenu';
import { formErrors } from './messageForm';
import { Messages, Window } from './thread';
import { triggers } from './triggers';

const { inbox } = words;

/** Loads a conversation with what its head is drawn of. */
export async function loadOpen(page: PageRequest, receiver: string, filters: InboxFilters): Promise<HeadParts> {
  const [thread, team, macros] = await Promise.all([
    loadThread(page, receiver),
    loadTeam(page),
    page.callIfPermitted<MacroView[]>('macros.list', {}, []),
  ]);
  return { thread, team, macros, filters };
}

/** A form that was refused, and why. */
interface Refused {
  readonly form: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
}

/** Draws an open conversation; `written` and `known` are what was typed into its box and its panel, and refused. */
export async function conversationPart(
  page: PageRequest,
  open: HeadParts,
  { written, known }: { readonly written?: Refused; readonly known?: Refused } = {},
): Promise<Html> {
  const { thread, filters } = open;
  const { path, title, conversation } = thread;
  const [composer, details] = await Promise.all([
    composerPart(page, thread, filters, written?.form, written?.errors),
    detailsPart({ page, thread, filters, ...known }),
  ]);
  return (
    <>
      {page.isPartial && <title>{title} · Msgdesk</title>}
      <div
        class="open is-open"
        id="open"
        data-path={path}
        data-id={conversation.id}
        data-contact={conversation.contact_id}
        data-live-watch={conversation.id}
        data-drop={words.composer.files.drop}
        data-presence={page.may('presence.set') ? '' : undefined}
      >
        <section class="thread" aria-labelledby="thread-title">
          <Head page={page} {...open} />
          <Messages page={page} thread={thread} />
          <p class="new-messages" id="new-messages" role="status" hidden>
            <button class="button button-small button-main" type="button"></button>
          </p>
          <p class="presence-line" data-present="" role="status" hidden>
            <Icon name="eye" />
            <span class="presence-words"></span>
          </p>
          <div class="suggestions-place">
            <ul
              class="options suggestions"
              id="suggestions"
              role="listbox"
              aria-label={inbox.teamwork.suggestions}
              hidden
            ></ul>
          </div>
          {composer}
          <MessageMenu page={page} path={path} isWindowOpen={thread.isWindowOpen} />
        </section>
        {details}
        {(conversation.unread_count > 0 || thread.isMarked) && (
          <Form class="visually-hidden unscripted" action={`${path}read/`} csrf={page.csrf}>
            <button class="button">{inbox.markRead}</button>
          </Form>
        )}
      </div>
    </>
  );
}

/**
 * Answers with what changes while a conversation is open: its head, its messages and, unless the member is typing in
 * it, its panel.
 */
export async function threadParts(page: PageRequest, open: HeadParts): Promise<PageAnswer> {
  const { thread, filters } = open;
  const isPanelLeft = page.query['details'] === 'no';
  return page.part(
    <>
      <Head page={page} {...open} outOfBand />
      <Messages page={page} thread={thread} outOfBand />
      <Window thread={thread} outOfBand />
      {isPanelLeft ? null : await detailsPart({ page, thread, filters, outOfBand: true })}
    </>,
  );
}

/** Answers a change: with the changed parts if a script of the page asked, else with the whole page. */
export async function changed(
  page: PageRequest,
  receiver: string,
  toast?: Toast,
  events: Readonly<Record<string, unknown>> = {},
): Promise<PageAnswer> {
  const filters = readFilters(page.query);
  if (!page.isPartial) {
    const target = page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, filters);
    return page.redirect(target, toast);
  }
  const answer = await askingOnce(async () => threadParts(page, await loadOpen(page, receiver, filters)));
  // Everything that changed says itself where it belongs.
  return { ...answer, headers: { 'HX-Reswap': 'none', 'HX-Trigger': triggers(toast, {}, events) } };
}

/** A form that says nothing changes nothing, and is told so. */
export const nothingChosen = (): FieldErrors => ({ non_field_errors: [inbox.nothingChosen] });

/** A refusal of something that has no form of its own to show it in. */
export async function refused(page: PageRequest, receiver: string, errors: FieldErrors): Promise<PageAnswer> {
  return changed(page, receiver, refusalOf(errors));
}

/** Says in a toast why something was refused. */
export function refusalOf(errors: FieldErrors): Toast {
  return { text: Object.values(formErrors(errors)).flat().join(' '), kind: 'bad' };
}
