import type { Page } from '../../../core/http/operations';
import type { AnswerOf } from '../../../core/http/shapes';
import { shownStates } from '../../../services/resources/broadcasts/schema';
import { recipientShape } from '../../../services/resources/broadcasts/serializer';
import { sendCsv } from '../csvFile';
import { pagerView, sentence, statusTag } from '../fieldViews';
import { linkTo, numberText } from '../formats';
import { Icon, type Html } from '../html';
import { adviceOn } from '../inbox/failures';
import type { Handled, PageRequest } from '../page';
import { BadNote, Form, Pager, Tabs, Tag } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { addressOf, reasonText, stateTabs, type Broadcast } from './list';
import { Once } from '../formParts';
import { Table, type Column } from '../team/settingsParts';
import { valueWord } from '../valueWord';

const { broadcasts } = words;
const { progress, result: said, recipients: listed } = broadcasts;

type Recipient = AnswerOf<typeof recipientShape>;
type Stats = Broadcast['stats'];

interface ResultGiven {
  readonly page: PageRequest;
  readonly broadcast: Broadcast;
  readonly recipients: Page<Recipient>;
  /** The state that is asked for. */
  readonly status: string | undefined;
}

/** How often the page of one reloads by itself, in seconds: nothing else changes any more. */
const followed: Readonly<Partial<Record<Broadcast['status'], number>>> = { running: 2, scheduled: 15 };

/** A broadcast on its way or at its end. */
export function Progress(given: ResultGiven): Html {
  const { page, broadcast, status } = given;
  const { queued_behind: behind, failure_reason: failure, paused_reason: pause, template_name: template } = broadcast;
  const own = addressOf(broadcast);
  const isScheduled = broadcast.status === 'scheduled';
  const seconds = followed[broadcast.status];
  const follows =
    seconds === undefined
      ? {}
      : {
          'hx-get': linkTo(own, { status }),
          'hx-trigger': `every ${seconds}s`,
          'hx-swap': 'morph:outerHTML',
        };
  return (
    <section id="progress" {...follows}>
      <p>
        <Tag {...statusTag(broadcast.status, broadcasts.states[broadcast.status])} />{' '}
        <span class="soft">
          {template ?? progress.gone}
          <Moments page={page} broadcast={broadcast} />
          {behind !== null && (
            <>
              {` · ${progress.waits}`}
              <a href={addressOf({ id: behind })}>{progress.behind(behind)}</a>
              {progress.sameNumber}
            </>
          )}
        </span>
      </p>
      {failure && <BadNote text={failure} />}
      {pause && (
        <div class="note note-warn">
          <p>
            <strong>{progress.paused}</strong> {pause}
            {progress.goesOn}
          </p>
        </div>
      )}
      {isScheduled && page.may('broadcasts.unschedule') && (
        <Form action={`${own}unschedule/`} csrf={page.csrf}>
          <button class="button" type="submit">
            <Icon name="calendar-clock" />
            {progress.unschedule}
          </button>
        </Form>
      )}
      {!isScheduled && <Course {...given} />}
    </section>
  );
}

/** When it goes out, began and ended. */
function Moments({ page, broadcast }: Pick<ResultGiven, 'page' | 'broadcast'>): Html {
  const { status, scheduled_at: due, started_at: began, completed_at: ended } = broadcast;
  const moments = [
    status === 'scheduled'
      ? { text: progress.goesOut, at: due, rest: progress.inTime(page.remaining(due)) }
      : { text: progress.began, at: began },
    { text: progress.ended, at: ended },
  ];
  return (
    <>
      {moments.map(
        ({ text, at, rest }) =>
          at !== null && (
            <>
              {` · ${text} `}
              {page.timePart(at, 'full')}
              {rest}
            </>
          ),
      )}
    </>
  );
}

/** What became of it so far: in figures, by the reasons, and by the recipients. */
function Course({ page, broadcast, recipients, status }: ResultGiven): Html {
  const { stats, completed_at: ended } = broadcast;
  const { audience, pending, failed, skipped_by_reason: skipped } = stats;
  const own = addressOf(broadcast);
  const percent = percentOf(audience - pending, audience);
  const isOpen = failed + pending + (skipped['ended_by_operator'] ?? 0) > 0;
  return (
    <>
      <div
        class="meter"
        role="progressbar"
        aria-label={progress.meter}
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow={percent}
        data-progress={percent}
      ></div>
      <Funnel broadcast={broadcast} />
      <Losses own={own} stats={stats} />
      {ended !== null && isOpen && page.may('broadcasts.resend') && (
        <Form action={`${own}resend/`} csrf={page.csrf}>
          <Once />
          <button class="button" type="submit">
            <Icon name="megaphone" />
            {said.resend}
          </button>
        </Form>
      )}
      <h2>{listed.title}</h2>
      <Tabs label={listed.which} tabs={stateTabs(own, shownStates, listed.states, status)} />
      {recipients.items.length === 0 ? (
        <p class="soft">{listed.none}</p>
      ) : (
        <Table
          label={listed.title}
          columns={columnsOf(page)}
          items={recipients.items}
          row={(recipient) => ({ id: rowOf(recipient) })}
        />
      )}
      <Pager pager={pagerView(recipients, own, { status })} />
    </>
  );
}

/** How many came how far: each step is a part of the one before it. */
function Funnel({ broadcast }: Pick<ResultGiven, 'broadcast'>): Html {
  const { stats, completed_at: ended } = broadcast;
  const { audience, pending, held } = stats;
  const steps = [
    [said.recipients, audience],
    [said.sent, stats.sent],
    [said.delivered, stats.delivered],
    [said.read, stats.read],
  ] as const;
  const remarks = [
    ...(pending > 0 ? [(ended === null ? said.wait : said.notSent)(numberText(pending))] : []),
    ...(held > 0 ? [said.held(numberText(held))] : []),
  ];
  return (
    <section class="panel" aria-labelledby="result">
      <h2 id="result">{said.title}</h2>
      <dl class="funnel">
        {steps.map(([label, count]) => (
          <div>
            <dt>{label}</dt>
            <dd>
              <strong>{numberText(count)}</strong> <span class="soft">{shareOf(count, audience)}</span>
              <span class="meter" data-progress={percentOf(count, audience)}></span>
            </dd>
          </div>
        ))}
      </dl>
      {remarks.map((remark) => (
        <p class="soft small">{remark}</p>
      ))}
    </section>
  );
}

function percentOf(count: number, all: number): number {
  return all === 0 ? 0 : Math.round((count / all) * 100);
}

/** Returns a share as people read it: a few of many are not none, and nearly all are not all. */
function shareOf(count: number, all: number): string {
  if (all === 0) return '';
  const percent = percentOf(count, all);
  if (percent === 0 && count > 0) return '<1%';
  return percent === 100 && count < all ? '>99%' : `${percent}%`;
}

/** Those who did not get it by the reason, the most frequent first. */
function Losses({ own, stats }: { readonly own: string; readonly stats: Stats }): Html {
  const { audience, unknown, failed, failed_by_code: codes, skipped_by_reason: reasons } = stats;
  const found = [
    ...Object.entries(codes).map(([code, count]) => ({
      state: 'failed' as const,
      why: failureText(code === 'none' ? null : Number(code)),
      count,
    })),
    ...Object.entries(reasons).map(([reason, count]) => ({
      state: 'skipped' as const,
      why: reasonText(reason),
      count,
    })),
    ...(unknown > 0 ? [{ state: 'unknown' as const, why: said.unknown, count: unknown }] : []),
  ].sort((first, second) => second.count - first.count);
  if (found.length === 0) return <></>;
  return (
    <section class="panel" aria-labelledby="losses">
      <h2 id="losses">{said.losses}</h2>
      <ul class="losses">
        {found.map(({ state, why, count }) => (
          <li>
            <strong>{numberText(count)}</strong> <span class="soft">{shareOf(count, audience)}</span>{' '}
            <Tag {...statusTag(state, listed.states[state])} />
            <span class="losses-why">{sentence(why)}</span>
          </li>
        ))}
      </ul>
      {failed > 0 && (
        <p>
          <a class="button" id="failures-file" href={`${own}failures/`}>
            <Icon name="download" />
            {said.export}
          </a>
        </p>
      )}
    </section>
  );
}

/** Returns what a failure with a code of the platform means; null: without a code. */
function failureText(code: number | null): string {
  return code === null ? said.noCode : said.code(adviceOn(code) || said.refused, code);
}

/** Who was chosen twice has a second row. */
const rowOf = ({ contact, reason }: Recipient): string =>
  `recipient-${contact}${reason === 'duplicate' ? '-again' : ''}`;

/** Returns why somebody did not get it, or may not have. */
function whyOf({ status, reason, error_code: code }: Recipient): string {
  return [
    ...(reason ? [reasonText(reason)] : []),
    ...(code !== null || (status === 'failed' && !reason) ? [failureText(code)] : []),
    ...(status === 'unknown' ? [said.unknown] : []),
  ].join(' ');
}

const columnsOf = (page: PageRequest): readonly Column<Recipient>[] => [
  {
    label: listed.contact,
    cell: listed.name,
    show: (recipient) => {
      const { receiver_id: receiver } = recipient;
      const name = recipient.name || receiver || listed.erased;
      if (!receiver || !page.can('chat.view')) return name;
      return (
        <a id={`${rowOf(recipient)}-link`} href={`/dashboard/inbox/${encodeURIComponent(receiver)}/`}>
          {name}
        </a>
      );
    },
  },
  {
    label: listed.outcome,
    show: ({ status, message_status: message }) => (
      <Tag {...statusTag(status, status === 'sent' && message ? valueWord(message) : listed.states[status])} />
    ),
  },
  { label: listed.why, show: whyOf },
  { label: listed.when, class: 'whole', show: ({ updated_at: at }) => page.timePart(at, 'full') },
];

/** Writes those whom a broadcast failed to reach into a file. */
export function sendFailures(page: PageRequest): Promise<Handled> {
  const { id = '' } = page.params;
  const columns = ['contact', 'name', 'error_code', 'meaning', 'at'];
  return sendCsv<Recipient>(
    page,
    {
      name: `broadcast-${id}-failures`,
      columns,
      cellsOf: ({ receiver_id: receiver, name, error_code: code, updated_at: at }) => [
        receiver,
        name,
        code,
        adviceOn(code ?? 0),
        at,
      ],
    },
    // Their number is not shown, and each page would count them again.
    (more) =>
      readPage(page, recipientShape, 'broadcasts.recipients', {
        ...more,
        id,
        status: 'failed',
        page_size: 200,
        count: false,
      }),
  );
}
