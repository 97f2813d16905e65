import type { Page } from '../../../core/http/operations';
import { auditOutcomes } from '../../../services/identity/audit/service';
import { definePages } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/audit-log/';

/** What agents called, with what outcome. */
export const auditPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'workspace.manage',
    run: async (page) => {
      const { tool, outcome } = page.query;
      const read = await page.attempt(() => page.call<Page<object>>('auditLog.list', { page_size: 50, ...page.query }));
      const list = 'value' in read ? read.value : { items: [], next: null, previous: null };
      const data = {
        list,
        errors: 'errors' in read ? read.errors : undefined,
        outcomes: [
          { value: '', label: 'Any outcome' },
          ...auditOutcomes.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
        ],
        query: { tool, outcome },
        path,
      };
      return settingsPage(page, '/settings/audit', data, { section: 'audit', title: 'Audit log' });
    },
  },
]);
