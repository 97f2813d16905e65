import type { FieldErrors } from '../../../core/http/errors';
import { isoTime } from '../../../core/http/shapes';
import { contactIdsOf } from '../../../services/resources/contacts/handles';
import type { MessageView } from '../../../services/resources/messages/serializer';
import { newestMessages } from '../../../services/resources/messages/service';
import { approvalShape } from '../../../services/processes/approvals/operations';
import { countAsking } from '../../../services/processes/approvals/service';
import { badgeView, pagerView } from '../fieldViews';
import { Filled } from '../filled';
import { Badge } from '../frameParts';
import { Icon, type Html } from '../html';
import { withPlus } from '../inbox/load';
import { snippetOf } from '../snippets';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Field, Form, Pager, Tabs } from '../parts';
import { asText, loadLookups, type Json } from '../lookups';
import { readOne, readPage } from '../typedCalls';
import { words } from '../words';
import { Head } from '../headParts';
import { approvalsPath as path, asksOf, Card, pathOf, textOf, waitingFor, type Known, type Line } from './approvalCard';
import type { Approval } from './approvalCalls';

const { approvals } = words;
const place = 'approvals';

const states = ['pending', 'approved', 'rejected', 'expired', 'all'] as const;

/** The calls of agents that wait for a member, and those that were decided. */
export const approvalPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'chat.view',
    run: async (page) =>
      page.query['part'] === 'badge'
        ? page.part(
            <Badge badge={badgeView('approvals', await countAsking(page.ctx))} workspaceId={page.workspace.id} />,
          )
        : listPage(page),
  },
  { method: 'GET', path: `${path}:id/`, scope: 'chat.view', run: (page) => one(page) },
  decision('approve', 'approved', ({ form }) => ({ digest: form['digest'] })),
  decision('reject', 'rejected', ({ form }) => ({ note: form['note'] })),
  decision('answer', 'answered', ({ form }) => ({ text: form['text'], digest: form['digest'] })),
]);

function decision(
  what: 'approve' | 'reject' | 'answer',
  done: 'approved' | 'rejected' | 'answered',
  given: (page: PageRequest) => Json,
): ReturnType<typeof definePages>[number] {
  return {
    method: 'POST',
    path: `${path}:id/${what}/`,
    scope: 'chat.view',
    run: async (page) => {
      const decided = await page.attempt(() =>
        page.call(`approvals.${what}`, { id: page.params['id'], ...given(page) }),
      );
      return 'errors' in decided ? one(page, decided.errors) : page.redirect(path, { text: approvals[done] });
    },
  };
}

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const { status = 'pending', page: number, cursor } = page.query;
  const list = await readPage(page, approvalShape, 'approvals.list', {
    ...(status === 'all' ? {} : { status }),
    page: number,
    cursor,
    page_size: 20,
  });
  const known = await knownOf(page, list.items);
  const tabs = states.map((value) => ({
    label: approvals.tabs[value],
    href: page.link(path, { status: value }),
    isCurrent: value === status,
  }));
  const body = (
    <div class="column">
      <Head title={approvals.title} />
      <Tabs tabs={tabs} label={approvals.which} />
      <div id="approval-list" data-follows={known.follows}>
        {list.items.map((item) => (
          <Card page={page} given={item} known={known} isAlone={false} />
        ))}
        {list.items.length === 0 && <Nothing isWaiting={status === 'pending'} />}
        <Pager pager={pagerView(list, path, { status })} />
      </div>
    </div>
  );
  return page.page(body, { title: approvals.title, place });
}

function Nothing({ isWaiting }: { readonly isWaiting: boolean }): Html {
  if (!isWaiting) return <Empty icon="shield-check" {...approvals.none} />;
  const { title, text, guide } = approvals.waiting;
  return (
    <div class="empty">
      <Icon name="shield-check" />
      <h2>{title}</h2>
      <p>
        <Filled text={text} parts={{ guide: <a href="/docs/connect-an-agent">{guide}</a> }} />
      </p>
    </div>
  );
}

async function one(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const approval = await readOne(page, approvalShape, 'approvals.get', { id: page.params['id'] });
  const known = await knownOf(page, [approval]);
  // What was typed and refused is there again, also where it is too late for it.
  const isTyped = Boolean(page.form['text'] || page.form['note']);
  const body = (
    <div class="column">
      <Head title={approvals.one} back={{ href: path, label: approvals.title }} />
      <Errors errors={errors} />
      <div id="approval" data-follows={known.follows} data-from={pathOf(approval)}>
        <Card page={page} given={approval} known={known} isAlone />
      </div>
      {(asksOf(page, approval) === 'this member' || isTyped) && (
        <OwnWords page={page} approval={approval} errors={errors} />
      )}
    </div>
  );
  return page.page(body, { title: approvals.one, place, ...(errors ? { status: 409 } : {}) });
}

interface OwnWordsGiven {
  readonly page: PageRequest;
  readonly approval: Approval;
  readonly errors: FieldErrors | undefined;
}

/** The text that is sent in its place, and the reason why it is rejected. */
function OwnWords({ page, approval, errors }: OwnWordsGiven): Html {
  const { label, text: textWords, send, note } = approvals.words;
  const text = textOf(page, approval);
  return (
    <section class="panel parked-words" aria-label={label}>
      {text !== null && (
        <Form action={`${pathOf(approval)}answer/`} csrf={page.csrf} id="edit">
          <input type="hidden" name="digest" value={approval.digest} />
          <Field
            name="text"
            {...textWords}
            type="textarea"
            rows={4}
            value={page.form['text'] ?? text}
            errors={errors}
            required
            attributes={{ maxlength: 4096, dir: 'auto' }}
          />
          <button class="button" type="submit">
            <Icon name="send" />
            {send}
          </button>
        </Form>
      )}
      <Form action={`${pathOf(approval)}reject/`} csrf={page.csrf} id="reject">
        <Field
          name="note"
          {...note}
          optional
          value={page.form['note'] ?? ''}
          errors={errors}
          attributes={{ maxlength: 500 }}
        />
        <button class="button" type="submit">
          <Icon name="x" />
          {approvals.reject}
        </button>
      </Form>
    </section>
  );
}

async function knownOf(page: PageRequest, found: readonly Approval[]): Promise<Known> {
  const [lookups, written, follows] = await Promise.all([
    loadLookups(page),
    linesOf(page, found),
    followsOf(page, found),
  ]);
  return { lookups, written, follows };
}

/** Returns of what news approvals are shown anew: of decisions, and of what the customers who wait for them write. */
async function followsOf(page: PageRequest, found: readonly Approval[]): Promise<string> {
  const handles = found.flatMap((approval) => waitingFor(approval)?.receiver_id ?? []);
  const contacts = await contactIdsOf(page.ctx, [...new Set(handles)]);
  // A conversation has the id of its contact.
  return [`approvals ${page.workspace.id}`, ...[...contacts.values()].map((id) => `conversation ${id}`)].join(', ');
}

const linesBefore = 3;

/** Loads what was written last in the conversations that messages wait for, by their customers. */
async function linesOf(page: PageRequest, found: readonly Approval[]): Promise<Known['written']> {
  const people = found.flatMap((approval) => waitingFor(approval) ?? []);
  const names = new Map(people.map(({ receiver_id: receiver, name }) => [receiver, name || withPlus(receiver)]));
  const newest = await newestMessages(page.ctx, [...names.keys()], linesBefore);
  const writer = ({ written_by: author, sender }: MessageView): string =>
    asText(author?.['name']) || sender?.name || approvals.you;
  const lineOf = (message: MessageView, name: string): Line => ({
    who: message.direction === 'inbound' ? name : writer(message),
    text: snippetOf(message),
    at: isoTime(message.created_at),
  });
  return new Map(
    [...names].map(([receiver, name]) => [
      receiver,
      (newest.get(receiver) ?? []).toReversed().map((message) => lineOf(message, name)),
    ]),
  );
}
