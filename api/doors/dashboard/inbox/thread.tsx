import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { words } from '../words';
import { Days } from './bubble';
import { LaterMessages } from './later';
import type { MoreMessages, MoreView, ThreadView } from './load';

const { thread: said } = words;

interface ThreadGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
  /** It takes the place of the part of the same name in the page. */
  readonly outOfBand?: boolean;
}

const morph = (outOfBand = false): 'morph' | undefined => (outOfBand ? 'morph' : undefined);

/** The messages of a thread. */
export function Messages({ page, thread, outOfBand }: ThreadGiven): Html {
  const { span, earlier, later } = thread;
  return (
    <div
      class="messages"
      id="messages"
      tabindex={0}
      role="log"
      aria-label={said.messages}
      aria-live="off"
      data-of={thread.path}
      data-size={span.size}
      data-since={span.since}
      data-asked={span.asked}
      data-at={span.at}
      data-whole={thread.whole}
      hx-swap-oob={morph(outOfBand)}
    >
      <div class="messages-inner">
        {earlier && (
          <div id="earlier" data-edge={earlier.edge}>
            <MoreLink more={earlier} />
          </div>
        )}
        {thread.isEmpty && (
          <div class="empty">
            <h3>{said.empty.title}</h3>
            <p>{said.empty.text}</p>
          </div>
        )}
        <Days page={page} thread={thread} days={thread.days} isLive />
        {later && (
          <div id="later" data-edge={later.edge}>
            <MoreLink more={later} />
          </div>
        )}
        {span.at && (
          <p class="earlier">
            <a class="button button-small" href={span.newest}>
              {said.newest}
            </a>
          </p>
        )}
        {thread.waiting.length > 0 && <LaterMessages page={page} thread={thread} />}
        <ol class="bubbles" id="sending"></ol>
        <Sending />
      </div>
    </div>
  );
}

/** What a text on its way is drawn of (outbox.js): `data-in` says in which states a part is there. */
function Sending(): Html {
  const { sending } = said;
  return (
    <template id="sending-model">
      <li class="bubble-row is-mine">
        <div class="bubble is-mine">
          <p class="bubble-text" dir="auto"></p>
          <p class="bubble-foot" role="status">
            <span data-in="due sending">{sending.now}</span>
            <span data-in="waits">
              <Icon name="clock" /> {sending.waits}
            </span>
            <span class="bad" data-in="refused">
              {sending.refused} <span class="why"></span>
            </span>
          </p>
          <p class="row" data-in="due refused">
            <button class="button button-small take-back" type="button" data-in="due" data-do="back" data-key="z">
              {sending.takeBack}
            </button>
            <button class="button button-small" type="button" data-in="refused" data-do="again">
              {said.again}
            </button>
            <button class="button button-small" type="button" data-in="refused" data-do="discard">
              {said.later.discard}
            </button>
          </p>
        </div>
      </li>
    </template>
  );
}

/** Asked for where it comes into sight, and by a click. */
function MoreLink({ more: { href, part, label } }: { readonly more: MoreView }): Html {
  return (
    <p class="earlier">
      <a
        class="button button-small"
        href={href}
        hx-get={part}
        hx-trigger="click, intersect once root:#messages"
        hx-target="closest p"
        hx-swap="outerHTML"
      >
        {label}
      </a>
    </p>
  );
}

/** Messages before or after those that a page shows. */
export function More({ page, more }: { readonly page: PageRequest; readonly more: MoreMessages }): Html {
  const { earlier, later, days } = more;
  return (
    <>
      {earlier && <MoreLink more={earlier} />}
      <Days page={page} thread={more} days={days} isLive={false} />
      {later && <MoreLink more={later} />}
    </>
  );
}

/** How long the customer can be answered freely. */
export function Window({ thread, outOfBand }: Omit<ThreadGiven, 'page'>): Html {
  const { left, style } = thread.window;
  const [text, more] = left === null ? said.window.closed : said.window.left(left);
  return (
    <p class={`window ${style}`} id="window" data-of={thread.path} hx-swap-oob={morph(outOfBand)}>
      <Icon name="clock" />
      <span>
        {text}
        <span class="wide-only">{more}</span>
      </span>
    </p>
  );
}
