import type { Page } from '../../../core/http/operations';
import { auditOutcomes } from '../../../services/identity/audit/service';
import { pagerView, statusTag, type TagView } from '../fieldViews';
import { numberText } from '../formats';
import { definePages } from '../page';
import { auditTabs } from './securityLog';
import { settingsPage } from './settings';

const path = '/dashboard/audit-log/';

/** A call as its operation gives it. */
interface Call {
  readonly connection: { readonly name: string };
  readonly member: { readonly name: string; readonly email: string } | null;
  readonly tool: string;
  readonly outcome: string;
  readonly detail: string;
  readonly request_id: string;
  readonly arguments_sha256: string;
  readonly duration_ms: number;
  readonly created_at: string;
}

/** A call as a row of the log. */
interface CallView extends Pick<Call, 'tool' | 'detail' | 'request_id' | 'arguments_sha256' | 'created_at'> {
  readonly agent: string;
  readonly memberName: string;
  readonly outcome: TagView;
  readonly took: string;
}

function callView({ connection, member, outcome, duration_ms: took, ...call }: Call): CallView {
  return {
    ...call,
    agent: connection.name,
    memberName: member ? member.name || member.email : '',
    outcome: statusTag(outcome, outcome.replaceAll('_', ' ')),
    took: `${numberText(took)} ms`,
  };
}

/** What agents called, with what outcome. */
export const auditPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'workspace.manage',
    run: async (page) => {
      const { tool, outcome } = page.query;
      const read = await page.attempt(() => page.call<Page<Call>>('auditLog.list', { page_size: 50, ...page.query }));
      const list = 'value' in read ? read.value : { items: [], count: 0, next: null, previous: null };
      const data = {
        calls: list.items.map(callView),
        pager: pagerView(list, path, { tool, outcome }),
        isFiltered: Boolean(tool || outcome),
        errors: 'errors' in read ? read.errors : undefined,
        outcomes: [
          { value: '', label: 'Any outcome' },
          ...auditOutcomes.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
        ],
        query: { tool, outcome },
        tabs: auditTabs('agents'),
        path,
      };
      return settingsPage(page, '/settings/audit', data, { section: 'audit', title: 'Audit log' });
    },
  },
]);
