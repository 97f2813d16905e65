import type { Answer, Wire } from '../../../core/http/shapes';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { entryShape } from '../../../services/identity/audit/operations';
import type { memberAudit } from '../../../services/identity/audit/security';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import type { CallInput } from '../callOperation';
import { sendCsv } from '../csvFile';
import { pagerView, peopleOptions } from '../fieldViews';
import { momentOfLocal } from '../../../core/zones';
import { textOf } from '../forms';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Pager, Tabs } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Head } from '../headParts';
import { NothingFits, Table, type Column } from './settingsParts';

const { auditLog } = words;
const { members: own } = auditLog;
const { columns, fields } = own;
const path = '/dashboard/audit-log/members/';
const scope = 'workspace.manage';
const pageSize = 200;
const actions: Readonly<Record<string, string>> = auditLog.actions;

type Entry = (typeof memberAudit)['schema'] extends Wire<infer T> ? Answer<T> : never;

/** A page of the log where what was asked for could not be. */
export const noEntries = { items: [], count: 0, next: null, previous: null };

/** The log of actions of members, keys and the operator that concern security. */
export const securityLogPages = definePages([
  { method: 'GET', path, scope, run: show },
  {
    method: 'GET',
    path: `${path}export/`,
    scope,
    run: async (page) => {
      requireRecent(page.credential);
      const filters = filtersOf(page);
      await recordSecurity(page.ctx, { action: 'auditLog.export', given: filters });
      const names = ['created_at', 'action', 'actor', 'member', 'key', 'subject', 'given', 'address', 'request'];
      return sendCsv(page, { name: 'audit-log', columns: names, cellsOf }, (more) =>
        readEntries(page, { ...filters, ...more, page_size: pageSize, count: false }),
      );
    },
  },
]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const { from, until, action, member_id } = page.query;
  const asked = { from, until, action, member_id };
  const read = await page.attempt(() => readEntries(page, { page_size: 50, ...page.query, ...filtersOf(page) }));
  const list = 'value' in read ? read.value : noEntries;
  const entries: readonly Entry[] = list.items;
  const errors = 'errors' in read ? read.errors : undefined;
  const people = [{ value: '', label: own.everybody }, ...peopleOptions(await loadMembers(page))];
  const body = (
    <>
      <AuditHead current="members" />
      <p class="soft">{own.about}</p>
      <form class="filter-form" method="get" action={path} role="search">
        <Errors errors={errors} />
        <Field
          name="action"
          label={fields.action}
          type="select"
          options={[{ value: '', label: own.anything }, ...actionOptions()]}
          value={action}
          errors={errors}
          attributes={{ 'data-submit': '' }}
        />
        <Field
          name="member_id"
          label={fields.member_id}
          type="select"
          options={people}
          value={member_id}
          errors={errors}
          attributes={{ 'data-submit': '' }}
        />
        <Field name="from" label={fields.from} type="datetime-local" value={from} errors={errors} />
        <Field name="until" label={fields.until} type="datetime-local" value={until} errors={errors} />
        <button class="button" type="submit">
          {auditLog.filter}
        </button>
        <a class="button" href={page.link(`${path}export/`, asked)}>
          <Icon name="download" />
          {own.csv}
        </a>
      </form>
      {entries.length === 0 ? (
        <NothingFits icon="scroll-text" {...own.empty} all={auditLog.all} text="" path={path} />
      ) : (
        <Table label={own.done} columns={columnsFor(page)} items={entries} />
      )}
      <Pager pager={pagerView(list, path, asked)} />
    </>
  );
  return settingsPage(page, body, { section: 'audit', title: auditLog.title });
}

/** Reads a page of the half of the log that is of members. */
async function readEntries(page: PageRequest, input: CallInput) {
  const list = await readPage(page, entryShape, 'auditLog.list', input);
  return { ...list, items: list.items.flatMap((entry) => ('action' in entry ? [entry] : [])) };
}

function columnsFor(page: PageRequest): readonly Column<Entry>[] {
  return [
    { label: columns.when, class: 'whole-wide', show: ({ created_at: at }) => page.timePart(at, 'full') },
    {
      label: columns.who,
      show: ({ member, actor_type: type, api_key_id: key }) => (
        <>
          {member ? member.name || member.email : type === 'system' ? own.operator : own.former}
          {key !== null && (
            <>
              <br />
              <span class="soft small">{own.key(key)}</span>
            </>
          )}
        </>
      ),
    },
    {
      label: columns.what,
      show: ({ action, subject_id: subject, given, request_id: request }) => (
        <>
          {wordsOf(action)}
          <details class="small">
            <summary>{auditLog.details}</summary>
            <code>{action}</code> {subject === null ? '' : own.subject(subject)}
            <br />
            {Object.entries(given).map(([name, value]) => (
              <>
                <span class="break">
                  {name}: {textOf(value)}
                </span>
                <br />
              </>
            ))}
            <span class="break">{auditLog.request(request)}</span>
          </details>
        </>
      ),
    },
    { label: columns.from, class: 'whole', show: ({ address }) => address },
  ];
}

/** The head of both halves of the audit log. */
export function AuditHead({ current }: { readonly current: 'agents' | 'members' }): Html {
  const { tabs } = auditLog;
  return (
    <>
      <Head title={auditLog.title} />
      <Tabs
        label={tabs.label}
        tabs={[
          { label: tabs.agents, href: '/dashboard/audit-log/', isCurrent: current === 'agents' },
          { label: tabs.members, href: path, isCurrent: current === 'members' },
        ]}
      />
    </>
  );
}

function cellsOf(entry: Entry): unknown[] {
  return [
    entry.created_at,
    entry.action,
    entry.actor_type,
    entry.member?.email ?? '',
    entry.api_key_id,
    entry.subject_id,
    entry.given,
    entry.address,
    entry.request_id,
  ];
}

/** Returns the filters of the page as the operation takes them. */
function filtersOf(page: PageRequest): Readonly<Record<string, string | undefined>> {
  const { from, until, action, member_id } = page.query;
  const zone = page.workspace.timezone;
  const instant = (local?: string): string | undefined =>
    local === undefined ? undefined : (momentOfLocal(local, zone)?.toISOString() ?? local);
  return { actor: 'member', action, member_id, created_after: instant(from), created_before: instant(until) };
}

/** Returns what an action is called where people read it. */
export const wordsOf = (action: string): string => actions[action] ?? action;

function actionOptions(): { value: string; label: string }[] {
  return Object.keys(actions)
    .map((value) => ({ value, label: wordsOf(value) }))
    .sort((one, other) => one.label.localeCompare(other.label));
}
