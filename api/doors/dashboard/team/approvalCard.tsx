import { approvalExpiryStart } from '../../../../workflows/starts';
import { isPlainObject } from '../../../core/http/fields';
import { showInvisibleIn } from '../../../core/http/invisible';
import { statusTag, type TagView } from '../fieldViews';
import { Icon, type Html } from '../html';
import { withPlus } from '../inbox/load';
import type { PageRequest } from '../page';
import { Form, Says, Tag } from '../parts';
import { asText, type Lookups } from '../lookups';
import { words } from '../words';
import { scopeWords } from './scopeBoxes';
import { describeCall, type Approval, type Send } from './approvalCalls';
import { valueWord } from '../valueWord';

const { approvals } = words;

export const approvalsPath = '/dashboard/approvals/';

/** A message as one line. */
export interface Line {
  readonly who: string;
  readonly text: string;
  readonly at: string;
}

/** What cards are drawn with beside the calls themselves. */
export interface Known {
  readonly lookups: Lookups;
  /** What was written last, by the customer. */
  readonly written: ReadonlyMap<string, readonly Line[]>;
  /** Of what news they are shown anew. */
  readonly follows: string;
}

/** Returns the page of a call. */
export const pathOf = ({ id }: Approval): string => `${approvalsPath}${id}/`;

/** The customer to whom a call sends a message that waits; undefined where there is none. */
export const waitingFor = ({ status, sends }: Approval): Send['recipients'][number] | undefined =>
  status === 'pending' ? sends.find(({ kind }) => kind === 'message')?.recipients[0] : undefined;

/** Whom a call waits for: who looks at it and may decide, others, or nobody as it is over. */
type Asked = 'this member' | 'others' | 'nobody';

/** Returns whom a call waits for. */
export function asksOf(page: PageRequest, { status, required_scopes: scopes }: Approval): Asked {
  if (status !== 'pending') return 'nobody';
  return mayDecide(page, scopes) ? 'this member' : 'others';
}

function mayDecide(page: PageRequest, scopes: readonly string[]): boolean {
  const held: ReadonlySet<string> = page.credential.scopes;
  return page.may('approvals.approve') && scopes.every((scope) => held.has(scope));
}

interface CardGiven {
  readonly page: PageRequest;
  readonly given: Approval;
  readonly known: Known;
  /** The page shows nothing else, and takes words beside it. */
  readonly isAlone: boolean;
}

/** A parked call. */
export function Card({ page, given, known, isAlone }: CardGiven): Html {
  // A member must see what is sent, also what an eye would miss.
  const approval = showInvisibleIn(given);
  const { id, arguments: input, sends, tool, expires_at: expiresAt, created_at: askedAt, note } = approval;
  const { connection, requested_by: member } = approval;
  const asker = member ? approvals.for(connection.name, member.name) : connection.name;
  const { title, to, steps } = describeCall(page, approval, known.lookups);
  const before = known.written.get(waitingFor(given)?.receiver_id ?? '') ?? [];
  const workflow = expiresAt === null ? null : page.workflow(approvalExpiryStart(page.workspace.id, id));
  const asks = asksOf(page, approval);
  return (
    <article
      class={asks === 'this member' ? 'panel parked' : 'panel parked parked-over'}
      aria-labelledby={`approval-${id}`}
    >
      <header class="parked-head">
        <h2 id={`approval-${id}`}>{title}</h2>
        <Tag {...stateOf(page, approval)} />
      </header>
      {to && <Receiver page={page} to={to} />}
      {before.length > 0 && (
        <ul class="parked-before" aria-label={approvals.before}>
          {before.map(({ who, at, text }) => (
            <li dir="auto">
              <span class="soft">
                {who} · {page.timePart(at)}
              </span>
              <br />
              {text}
            </li>
          ))}
        </ul>
      )}
      <ol class="parked-steps">
        {steps.map(({ text, says }) => (
          <li>
            {text && <span>{text}</span>}
            <Says text={says} />
          </li>
        ))}
      </ol>
      <p class="soft small">
        <Icon name="bot" /> {asker} {approvals.asked} {page.timePart(askedAt, 'full')}
        <Decided page={page} approval={approval} />
      </p>
      {note && (
        <p class="small" dir="auto">
          {approvals.because} {note}
        </p>
      )}
      <details class="small" id={`exact-${id}`}>
        <summary id={`exact-summary-${id}`}>{approvals.exact}</summary>
        <pre class="code">{`${tool} ${JSON.stringify({ arguments: input, sends }, null, 2)}`}</pre>
        {workflow !== null && (
          <p>
            <a href={workflow} rel="noreferrer" target="_blank">
              {approvals.timer} <Icon name="external-link" />
            </a>
          </p>
        )}
      </details>
      {asks === 'this member' && <Ways page={page} approval={approval} title={title} isAlone={isAlone} />}
      {asks === 'others' && <p class="hint">{approvals.others(scopeWords(...approval.required_scopes))}</p>}
    </article>
  );
}

/** Whom a call reaches, with the way to their conversation. */
function Receiver({ page, to }: { readonly page: PageRequest; readonly to: Send['recipients'][number] }): Html {
  const { name, receiver_id: handle } = to;
  const shown = name || withPlus(handle);
  return (
    <p class="parked-to">
      <Icon name="user" /> {approvals.to}{' '}
      {page.can('chat.view') && handle ? (
        <a href={`/dashboard/inbox/${encodeURIComponent(handle)}/`}>{shown}</a>
      ) : (
        <strong>{shown}</strong>
      )}{' '}
      {name && <span class="soft">{withPlus(handle)}</span>}
    </p>
  );
}

/** How a call was decided, and by whom. */
function Decided({ page, approval }: { readonly page: PageRequest; readonly approval: Approval }): Html {
  const { decided_by: decider, decided_at: at, status, result } = approval;
  if (!decider) return <></>;
  const isReplaced = status === 'rejected' && result !== null;
  const text = isReplaced ? approvals.replaced(decider.name) : approvals.decided(valueWord(status), decider.name);
  return (
    <>
      {` · ${text} `}
      {page.timePart(at, 'full')}
    </>
  );
}

interface WaysGiven {
  readonly page: PageRequest;
  readonly approval: Approval;
  readonly title: string;
  readonly isAlone: boolean;
}

/** What a member can do with a call. */
function Ways({ page, approval, title, isAlone }: WaysGiven): Html {
  const { id, digest } = approval;
  const own = pathOf(approval);
  const named = <span class="visually-hidden">{approvals.what(title)}</span>;
  return (
    <div class="actions">
      <Form action={`${own}approve/`} csrf={page.csrf}>
        <input type="hidden" name="digest" value={digest} />
        <button class="button button-main" type="submit" id={`approve-${id}`}>
          <Icon name="check" />
          {approvals.approve}
          {named}
        </button>
      </Form>
      {!isAlone && (
        <>
          {textOf(page, approval) !== null && (
            <a class="button" href={`${own}#edit`} id={`edit-${id}`}>
              <Icon name="pencil" />
              {approvals.edit}
              {named}
            </a>
          )}
          <Form action={`${own}reject/`} csrf={page.csrf}>
            <button class="button" type="submit" id={`reject-${id}`}>
              <Icon name="x" />
              {approvals.reject}
              {named}
            </button>
          </Form>
          <a class="small" href={`${own}#reject`} id={`why-${id}`}>
            {approvals.rejectBecause}
            {named}
          </a>
        </>
      )}
    </div>
  );
}

/** Returns the text of a call that can be changed before it is sent: one message of plain text and nothing else. */
export function textOf(page: PageRequest, given: Approval): string | null {
  const { steps, sends, tool, required_scopes: scopes } = showInvisibleIn(given);
  const [send] = sends;
  if (!mayDecide(page, scopes) || !page.may('approvals.answer')) return null;
  if (steps !== null || tool !== 'send_message' || send?.body['type'] !== 'text') return null;
  const { text } = send.body;
  return isPlainObject(text) ? asText(text['body']) : null;
}

function stateOf(page: PageRequest, { status, autonomy, expires_at: expiresAt }: Approval): TagView {
  if (status !== 'pending') return statusTag(status);
  if (autonomy === 'draft') return { text: approvals.draft, style: '' };
  return { text: approvals.waits(page.remaining(expiresAt)), style: 'tag-warn' };
}
