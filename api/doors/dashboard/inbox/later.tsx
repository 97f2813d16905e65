import type { Child } from 'hono/jsx';
import { localOf, momentOfLocal } from '../../../core/zones';
import { readHours } from '../../../services/resources/calendars/hours';
import { Act, Hidden } from '../formParts';
import { formatMoment } from '../formats';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { words } from '../words';
import { Bubble } from './bubble';
import type { ThreadView, WireConversation } from './load';
import { objectOf, stringOf } from '../snippets';
import type { WireMessage } from './messages';
import { laterPresets, type SnoozePreset } from './snooze';

const { later: said } = words.thread;
const hourMs = 3_600_000;

type Waiting = ThreadView['waiting'];

interface LaterGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
}

/**
 * Messages that wait to be sent, or for a member, at the end of their thread. Of many the next one is in sight, and
 * what was written stays so above it.
 */
export function LaterMessages({ page, thread }: LaterGiven): Html {
  const held = thread.waiting.filter(({ message }) => message.held_reason !== null);
  const [next, ...others] = thread.waiting.filter(({ message }) => message.held_reason === null);
  return (
    <>
      <Later
        page={page}
        thread={thread}
        id="later-messages"
        label={said.label}
        waiting={[...held, ...(next ? [next] : [])]}
      />
      {others.length > 0 && (
        <details class="later-more" id="later-more">
          <summary>{said.more(others.length)}</summary>
          <Later page={page} thread={thread} id="later-others" label={said.more(others.length)} waiting={others} />
        </details>
      )}
    </>
  );
}

function Later({
  page,
  thread,
  id,
  label,
  waiting,
}: LaterGiven & { readonly id: string; readonly label: string; readonly waiting: Waiting }): Html {
  return (
    <ol class="bubbles later" id={id} aria-label={label}>
      {waiting.map(({ message, shown }) => (
        <>
          <Bubble page={page} thread={thread} message={shown} />
          <li class="later-row" id={`later-${message.id}`}>
            <p class={`small ${message.held_reason === null ? '' : 'warn'}`}>
              <Icon name="calendar-clock" />
              {stateOf(page, message)}
            </p>
            {page.may('messages.update') && <Tools page={page} path={thread.path} message={message} />}
          </li>
        </>
      ))}
    </ol>
  );
}

function stateOf(page: PageRequest, message: WireMessage): string {
  const { held_reason: held, if_customer_writes: policy, send_at: at } = message;
  return held === null ? said.sent(page.moment(at), policy ?? 'send') : said.held(held);
}

interface ToolsGiven {
  readonly page: PageRequest;
  readonly path: string;
  readonly message: WireMessage;
}

function Tools({ page, path, message }: ToolsGiven): Html {
  const { id } = message;
  const { csrf, now } = page;
  const zone = page.workspace.timezone;
  const action = `${path}later/`;
  const at = new Date(message.send_at ?? now);
  const body = objectOf(message.body);
  return (
    <div class="later-tools">
      <Act action={action} csrf={csrf}>
        <Hidden values={[['id', String(id)]]} />
        <button class="button button-small" id={`send-${id}`} name="what" value="now">
          {said.send}
        </button>
      </Act>
      <button class="button button-small" type="button" id={`change-${id}`} popovertarget={`later-menu-${id}`}>
        {said.change}
      </button>
      <div class="menu" id={`later-menu-${id}`} popover="auto">
        <Act class="menu-custom" action={action} csrf={csrf}>
          <Hidden
            values={[
              ['id', String(id)],
              ['what', 'later'],
            ]}
          />
          {body['type'] === 'text' && (
            <>
              <label class="label" for={`later-text-${id}`}>
                {said.text}
              </label>
              <textarea class="input" id={`later-text-${id}`} name="body" rows={3} dir="auto" required>
                {stringOf(objectOf(body['text'])['body'])}
              </textarea>
            </>
          )}
          <label class="label" for={`later-at-${id}`}>
            {said.at} <span class="soft">({zone})</span>
          </label>
          <div class="row">
            <input
              class="input"
              id={`later-at-${id}`}
              name="send_local"
              type="datetime-local"
              min={localOf(now, zone)}
              value={localOf(at > now ? at : new Date(now.getTime() + hourMs), zone)}
              required
            />
            <button class="button button-small button-main">{said.schedule}</button>
          </div>
        </Act>
      </div>
      <Act action={action} csrf={csrf}>
        <Hidden values={[['id', String(id)]]} />
        <button class="button button-small" id={`discard-${id}`} name="what" value="not">
          {said.discard}
        </button>
      </Act>
    </div>
  );
}

interface OtherwiseGiven {
  readonly now: Date;
  readonly zone: string;
  readonly times: readonly SnoozePreset[];
  /** Nothing can be sent now. */
  readonly isDisabled: boolean;
  readonly given: Readonly<Record<string, string>>;
  /** What else than later. */
  readonly children: Child;
}

const policies = ['hold', 'send', 'cancel'] as const;

/** The menu by which a message is sent otherwise than at once, as buttons of the form around it. */
export function SendOtherwise({ now, zone, times, isDisabled, given, children }: OtherwiseGiven): Html {
  const policy = given['if_customer_writes'] ?? 'hold';
  return (
    <>
      <button
        class="button button-main send-otherwise"
        type="button"
        id="send-later"
        popovertarget="send-later-menu"
        title={said.open}
        disabled={isDisabled}
      >
        <Icon name="chevron-down" label={said.open} />
      </button>
      <div class="menu menu-up" id="send-later-menu" popover="auto">
        {children}
        <p class="menu-head soft small">{said.head}</p>
        {times.map(({ value, label, detail }) => (
          <button class="menu-item" name="send_at" value={value}>
            {label} <span class="soft">{detail}</span>
          </button>
        ))}
        <hr />
        <div class="menu-custom">
          <label class="label" for="send-local">
            {said.time} <span class="soft">({zone})</span>
          </label>
          <div class="row">
            <input
              class="input"
              id="send-local"
              name="send_local"
              type="datetime-local"
              min={localOf(now, zone)}
              value={given['send_local'] ?? localOf(new Date(now.getTime() + hourMs), zone)}
            />
            <button class="button button-small button-main" id="send-at" name="send_at" value="local">
              {said.schedule}
            </button>
          </div>
          <label class="label" for="if-customer-writes">
            {said.ifWrites}
          </label>
          <select class="input" id="if-customer-writes" name="if_customer_writes">
            {policies.map((value) => (
              <option value={value} selected={value === policy}>
                {said.policies[value]}
              </option>
            ))}
          </select>
        </div>
      </div>
    </>
  );
}

type Sendable = Pick<WireConversation, 'active_till' | 'assigned_team_inbox'>;

/** Returns the times at which a message may be sent; free text goes while the window is open. */
export async function laterTimes(
  page: PageRequest,
  conversation: Sendable,
  isFreeText: boolean,
): Promise<readonly SnoozePreset[]> {
  const presets = [...laterPresets(page.now, page.workspace.timezone), ...(await openingPreset(page, conversation))];
  const until = isFreeText ? conversation.active_till : null;
  return presets.filter(({ ends }) => until === null || ends < until);
}

async function openingPreset(
  page: PageRequest,
  conversation: Sendable,
): Promise<(SnoozePreset & { readonly ends: string })[]> {
  const hours = (await readHours(page.ctx))(conversation.assigned_team_inbox);
  const { now } = page;
  const opening = hours === null || hours.time.isOpenAt(now) ? null : hours.time.nextOpening(now);
  if (opening === null) return [];
  const detail = formatMoment(opening, page.workspace.timezone, 'full', now);
  return [{ label: said.opening, detail, value: 'opening', ends: opening.toISOString() }];
}

/** Reads when the form wants a message to be sent; nothing: at once. */
export function readSendAt(page: PageRequest): Record<string, string> {
  const { send_at: at = '', if_customer_writes: policy } = page.form;
  if (at === '') return {};
  return { send_at: at === 'local' ? localMoment(page) : at, ...(policy ? { if_customer_writes: policy } : {}) };
}

/** Returns the moment that a form names by the clock of the workspace's time zone. */
export function localMoment(page: PageRequest): string {
  const local = page.form['send_local'] ?? '';
  return momentOfLocal(local, page.workspace.timezone)?.toISOString() ?? local;
}
