import { Act, Hidden, Once } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { words } from '../words';
import type { MediaView } from './media';
import { MessageActs, MessageMore } from './messageMenu';
import type { MessageView } from './messages';
import type { ThreadDay } from './notes';
import type { TemplatePreview } from './templates';
import { Text } from '../text';

const { thread } = words;

interface BubbleGiven {
  readonly page: PageRequest;
  readonly thread: ShownIn;
  readonly message: MessageView;
}

/** What a message is shown in. */
interface ShownIn {
  /** The customer. */
  readonly title: string;
  readonly path: string;
  readonly isWindowOpen: boolean;
}

/** A message of a thread. */
export function Bubble({ page, message, thread: { title, path, isWindowOpen } }: BubbleGiven): Html {
  const { id, mine, sender, text, rest, reactions, tick, answer, failure, again } = message;
  return (
    <li class={`bubble-row${mine ? ' is-mine' : ''}`} id={`m-${id}`}>
      <div class={`bubble ${message.style}`}>
        <span class="visually-hidden">{mine ? sender : title}: </span>
        {message.quoted && (
          <blockquote class="quote cut" dir="auto">
            {message.quoted}
          </blockquote>
        )}
        {message.deleted && <p class="bubble-label">{message.deleted}</p>}
        {message.label && <p class="bubble-label">{message.label}</p>}
        {message.media && <Media media={message.media} />}
        {message.template && <SentTemplate template={message.template} />}
        {text.length > 0 && (
          <p class="bubble-text" dir="auto">
            <Text parts={text} />
            {rest && (
              <>
                …{' '}
                <a
                  id={`whole-${id}`}
                  href={rest.href}
                  hx-get={rest.part}
                  hx-target="#messages"
                  hx-swap="morph:outerHTML"
                >
                  {thread.showAll}
                </a>
              </>
            )}
          </p>
        )}
        {message.details.length > 0 && (
          <ul class="bubble-details">
            {message.details.map(({ text: detail, href }) => (
              <li>
                {href ? (
                  <a href={href} target="_blank" rel="noopener noreferrer">
                    <Icon name="map-pin" /> {detail}
                  </a>
                ) : (
                  detail
                )}
              </li>
            ))}
          </ul>
        )}
        {message.buttons.length > 0 && (
          <ul class="bubble-buttons" aria-label={thread.buttons}>
            {message.buttons.map((label) => (
              <li>{label}</li>
            ))}
          </ul>
        )}
        {message.before.length > 0 && (
          <details class="bubble-before" id={`before-${id}`}>
            <summary>{thread.edited}</summary>
            <ul>
              {message.before.map((one) => (
                <li dir="auto">
                  {one.text} {page.timePart(one.at, 'clock')}
                </li>
              ))}
            </ul>
          </details>
        )}
        <p class="bubble-foot">
          {mine && (
            <>
              <span class="cut">{sender}</span> ·{' '}
            </>
          )}
          {page.timePart(message.at, 'clock')}
          {tick && (
            <>
              {' '}
              <span class={`tick ${tick.style}`} title={tick.words}>
                <Icon name={tick.icon} label={tick.words} />
              </span>
            </>
          )}
        </p>
        {reactions.length > 0 && (
          <p class="reactions" aria-label={thread.reactions(reactions.join(', '))}>
            {reactions.join(' ')}
          </p>
        )}
      </div>
      {answer && (
        <a
          class="button-icon reply-to"
          href={answer.href}
          hx-get={answer.part}
          hx-target="#composer"
          hx-swap="outerHTML"
          // The menu of the message has it as well.
          tabindex={-1}
          title={thread.answer}
        >
          <Icon name="reply" label={thread.answer} />
        </a>
      )}
      <MessageMore message={message} />
      {page.query['menu'] === String(id) && (
        <div class="message-acts unscripted">
          <MessageActs page={page} path={path} isWindowOpen={isWindowOpen} message={message} />
        </div>
      )}
      {failure && (
        <p class="failure">
          <strong>{failure.reason}</strong> {failure.advice}
        </p>
      )}
      {again && (
        <Act class="try-again" action={again} csrf={page.csrf} hx-disabled-elt="find button">
          <Once />
          <Hidden values={[['again', String(id)]]} />
          <button class="button button-small" id={`again-${id}`} type="submit">
            <Icon name="rotate-ccw" />
            {thread.again}
          </button>
        </Act>
      )}
    </li>
  );
}

function SentTemplate({ template }: { readonly template: TemplatePreview }): Html {
  const { headerMedia, header, body, footer } = template;
  return (
    <>
      {headerMedia && (
        <p class="file">
          <Icon name="image" />
          {headerMedia}
        </p>
      )}
      {header && (
        <p class="bubble-text" dir="auto">
          <strong>{header}</strong>
        </p>
      )}
      <p class="bubble-text" dir="auto">
        {body}
      </p>
      {footer && <p class="bubble-text soft small">{footer}</p>}
    </>
  );
}

function Media({ media }: { readonly media: MediaView }): Html {
  const { kind, src, link, name } = media;
  if (src && (kind === 'image' || kind === 'sticker'))
    return (
      <a href={src} target="_blank" rel="noopener">
        <img class={`media media-${kind}`} src={src} alt={name} loading="lazy" data-fallback={name} />
      </a>
    );
  if (src && kind === 'video')
    return <video class="media" src={src} controls preload="none" aria-label={thread.files.video} />;
  if (src && kind === 'audio')
    return <audio class="media-audio" src={src} controls preload="none" aria-label={thread.files.audio} />;
  if (src)
    return (
      <a class="file" href={src}>
        <Icon name="file-text" />
        <span class="cut">{name}</span>
        <Icon name="download" label={thread.download} />
      </a>
    );
  if (link)
    return (
      <a class="file" href={link} target="_blank" rel="noopener noreferrer nofollow">
        <Icon name="link" />
        <span class="cut">{name}</span>
        <Icon name="external-link" label={thread.elsewhere} />
      </a>
    );
  return (
    <p class="file">
      <Icon name="file-text" />
      {name}
    </p>
  );
}

interface DaysGiven extends Pick<BubbleGiven, 'page' | 'thread'> {
  readonly days: readonly ThreadDay[];
  /** They are brought up to date. */
  readonly isLive: boolean;
}

/** Messages and notes, by days. */
export function Days({ page, thread: shownIn, days, isLive }: DaysGiven): Html {
  return (
    <>
      {days.map(({ day, heading, entries }) => (
        <section id={isLive ? `day-${day}` : undefined} aria-label={heading}>
          <h3 class="day">
            <span>{heading}</span>
          </h3>
          <ol class="bubbles">
            {entries.map(({ note, message }) =>
              note ? (
                <li class="bubble-row is-note" id={`note-${note.id}`}>
                  <div class="bubble is-note">
                    <p class="bubble-label">
                      <Icon name="notebook-pen" />
                      {thread.note}
                    </p>
                    <p class="bubble-text" dir="auto">
                      <Text parts={note.text} />
                    </p>
                    <p class="bubble-foot">
                      <span class="cut">{note.author}</span> · {page.timePart(note.at, 'clock')}
                    </p>
                  </div>
                </li>
              ) : (
                <Bubble page={page} thread={shownIn} message={message} />
              ),
            )}
          </ol>
        </section>
      ))}
    </>
  );
}
