import type { Answer, Wire } from '../../../core/http/shapes';
import { type callShape, entryShape } from '../../../services/identity/audit/operations';
import { auditOutcomes } from '../../../services/identity/audit/service';
import { pagerView, statusTag } from '../fieldViews';
import { numberText } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Pager, Tag } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { AuditHead, noEntries } from './securityLog';
import { settingsPage } from './settings';
import { NothingFits, Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { auditLog } = words;
const { agents: own } = auditLog;
const { columns, fields } = own;
const path = '/dashboard/audit-log/';

type Call = typeof callShape extends Wire<infer T> ? Answer<T> : never;

/** What agents called, with what outcome. */
export const auditPages = definePages([{ method: 'GET', path, scope: 'workspace.manage', run: show }]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const { tool, outcome } = page.query;
  const read = await page.attempt(() => readPage(page, entryShape, 'auditLog.list', { page_size: 50, ...page.query }));
  const list = 'value' in read ? read.value : noEntries;
  const calls = list.items.flatMap((entry) => ('tool' in entry ? [entry] : []));
  const errors = 'errors' in read ? read.errors : undefined;
  const body = (
    <>
      <AuditHead current="agents" />
      <p class="soft">{own.about}</p>
      <form class="filter-form" method="get" action={path} role="search">
        <Errors errors={errors} />
        <Field
          name="tool"
          label={fields.tool}
          value={tool}
          errors={errors}
          attributes={{ placeholder: 'send_message', 'data-key': '/' }}
        />
        <Field
          name="outcome"
          label={fields.outcome}
          type="select"
          options={[
            { value: '', label: own.anyOutcome },
            ...auditOutcomes.map((value) => ({ value, label: valueWord(value) })),
          ]}
          value={outcome}
          errors={errors}
          attributes={{ 'data-submit': '' }}
        />
        <button class="button" type="submit">
          {auditLog.filter}
        </button>
      </form>
      {calls.length === 0 ? (
        <NothingFits icon="scroll-text" {...own.empty} all={auditLog.all} path={tool || outcome ? path : null} />
      ) : (
        <Table label={own.calls} columns={columnsFor(page)} items={calls} />
      )}
      <Pager pager={pagerView(list, path, { tool, outcome })} />
    </>
  );
  return settingsPage(page, body, { section: 'audit', title: auditLog.title });
}

function columnsFor(page: PageRequest): readonly Column<Call>[] {
  return [
    { label: columns.when, class: 'whole-wide', show: ({ created_at: at }) => page.timePart(at, 'full') },
    {
      label: columns.agent,
      show: ({ connection, member }) => (
        <>
          {connection.name}
          {member && (
            <>
              <br />
              <span class="soft small">{own.for(member.name || member.email)}</span>
            </>
          )}
        </>
      ),
    },
    { label: columns.tool, show: ({ tool }) => <code>{tool}</code> },
    {
      label: columns.outcome,
      show: ({ outcome, detail, request_id: request, arguments_sha256: digest }) => (
        <>
          <Tag {...statusTag(outcome)} />
          {detail && (
            <details class="small">
              <summary>{own.why}</summary>
              <span class="break">{detail}</span>
            </details>
          )}
          <details class="small">
            <summary>{own.ids}</summary>
            <span class="break">
              {auditLog.request(request)}
              <br />
              {own.digest(digest)}
            </span>
          </details>
        </>
      ),
    },
    { label: columns.took, class: 'whole', show: ({ duration_ms: took }) => own.took(numberText(took)) },
  ];
}
