import { definePages, type PageAnswer, type PageRequest } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/sla-policies/';
const scope = 'workspace.manage';
const section = 'sla';

/** Service level policies. */
export const slaPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const policies = await page.call<readonly object[]>('slaPolicies.list');
      return settingsPage(page, '/settings/policies', { policies, path }, { section, title: 'SLA policies' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, null, { applies_to: ['tickets', 'conversations'] })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const made = await page.attempt(() => page.call('slaPolicies.create', values));
      if ('errors' in made) return form(page, null, values, made.errors);
      return page.redirect(path, { text: 'The policy is made.' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const policy = await page.call('slaPolicies.get', { id: page.params['id'] });
      return form(page, policy, policy);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      const values = valuesOf(page);
      const saved = await page.attempt(() => page.call('slaPolicies.update', { id, ...values }));
      if ('errors' in saved) return form(page, await page.call('slaPolicies.get', { id }), values, saved.errors);
      return page.redirect(path, { text: 'The policy is saved. Deadlines that run already stay as they were.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: {
      title: 'Delete this policy?',
      text: 'New tickets and conversations get no deadlines from it. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      await page.call('slaPolicies.delete', { id: page.params['id'] });
      return page.redirect(path, { text: 'The policy is deleted.' });
    },
  },
]);

function valuesOf(page: PageRequest): Readonly<Record<string, unknown>> {
  const { name = '', first_response_minutes: first = '', resolution_minutes: resolution = '' } = page.form;
  return {
    name,
    first_response_minutes: first,
    resolution_minutes: resolution,
    applies_to: page.all('applies_to'),
    is_default: page.form['is_default'] ?? 'false',
  };
}

function form(page: PageRequest, policy: object | null, values: object, errors?: object): PageAnswer {
  const targets = [
    { value: 'tickets', label: 'Tickets' },
    { value: 'conversations', label: 'Conversations' },
  ];
  return settingsPage(
    page,
    '/settings/policyForm',
    { policy, values, errors, targets, path },
    { section, title: policy ? 'SLA policy' : 'New SLA policy', ...(errors ? { status: 422 } : {}) },
  );
}
