import { Act, Hidden } from '../formParts';
import { Icon } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { Says } from '../parts';
import { words } from '../words';

const { macro: said } = words.inbox;

/** What a macro would do to a conversation, before it does. */
export interface MacroPreview {
  readonly action: string;
  readonly macro: number;
  readonly title: string;
  /** What each does, and what a customer would read. */
  readonly steps: readonly { readonly text: string; readonly says?: string }[];
  /** The conversation, where one goes back to without scripts. */
  readonly back: string;
}

/** Shows what a macro would send and do: in the dialog of the page, or as a page. */
export function showPreview(page: PageRequest, preview: MacroPreview): PageAnswer {
  const { action, macro, title, steps, back } = preview;
  // Without scripts the browser shows the answer as a page.
  const scripted = page.isPartial ? {} : { 'hx-post': undefined, 'hx-swap': undefined };
  const body = (
    <>
      <h2 id="macro-title">{title}</h2>
      <ol class="parked-steps">
        {steps.map(({ text, says }) => (
          <li>
            <span>{text}</span>
            <Says text={says} />
          </li>
        ))}
      </ol>
      <div class="actions">
        {page.isPartial ? (
          <form method="dialog">
            <button class="button">{words.common.cancel}</button>
          </form>
        ) : (
          <a class="button" href={back}>
            {words.common.cancel}
          </a>
        )}
        <Act action={action} csrf={page.csrf} id="macro-run" {...scripted}>
          <Hidden
            values={[
              ['macro', String(macro)],
              ['confirmed', 'yes'],
            ]}
          />
          <button class="button button-main" type="submit" autofocus>
            <Icon name="zap" />
            {said.run}
          </button>
        </Act>
      </div>
    </>
  );
  if (!page.isPartial)
    return page.page(<div class="column">{body}</div>, { title, place: 'inbox', styles: ['inbox.css'] });
  return { ...page.part(body), headers: { 'HX-Retarget': '#macro-preview', 'HX-Reswap': 'innerHTML' } };
}
