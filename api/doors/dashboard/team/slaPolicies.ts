import type { FieldErrors } from '../../../core/http/errors';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/sla-policies/';
const scope = 'workspace.manage';
const section = 'sla';

/** A policy as its operation gives it. */
interface Policy {
  readonly id: number;
  readonly name: string;
  readonly first_response_minutes: number | null;
  readonly resolution_minutes: number | null;
  readonly applies_to: readonly string[];
  readonly is_default: boolean;
  readonly calendar_id: number | null;
}

/** A policy as a row of the list. */
interface PolicyRow extends Pick<Policy, 'name' | 'is_default'> {
  /** What it promises, and for what. */
  readonly promise: string;
  readonly path: string;
}

function policyRow(policy: Policy): PolicyRow {
  const { first_response_minutes: first, resolution_minutes: resolution, applies_to: targets } = policy;
  const time = policy.calendar_id === null ? '' : ' · in working time';
  return {
    name: policy.name,
    is_default: policy.is_default,
    promise: `First answer: ${spanText(first)} · Solution: ${spanText(resolution)} · ${targets.join(' and ')}${time}`,
    path: `${path}${policy.id}/`,
  };
}

const dayMinutes = 1_440;
const hourMinutes = 60;

/** Writes a promised time in the largest unit that it is whole in. */
function spanText(minutes: number | null): string {
  if (minutes === null) return 'none';
  if (minutes % dayMinutes === 0) return `${minutes / dayMinutes} d`;
  return minutes % hourMinutes === 0 ? `${minutes / hourMinutes} h` : `${minutes} min`;
}

/** Service level policies. */
export const slaPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const policies = (await page.call<readonly Policy[]>('slaPolicies.list')).map(policyRow);
      return settingsPage(page, '/settings/policies', { policies, path }, { section, title: 'SLA policies' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => form(page, null, { applies_to: ['tickets', 'conversations'] }),
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
      const policy = await page.call<Policy>('slaPolicies.get', { id: page.params['id'] });
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
      if ('errors' in saved)
        return form(page, await page.call<Policy>('slaPolicies.get', { id }), values, saved.errors);
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
  const {
    name = '',
    first_response_minutes: first = '',
    resolution_minutes: resolution = '',
    calendar_id: calendar = '',
  } = page.form;
  return {
    name,
    first_response_minutes: first,
    resolution_minutes: resolution,
    applies_to: page.all('applies_to'),
    calendar_id: calendar === '' ? null : calendar,
    is_default: page.form['is_default'] ?? 'false',
  };
}

async function form(
  page: PageRequest,
  policy: Policy | null,
  values: object,
  errors?: FieldErrors,
): Promise<PageAnswer> {
  const calendars = await page.call<readonly { readonly id: number; readonly name: string }[]>('calendars.list');
  const targets = [
    { value: 'tickets', label: 'Tickets' },
    { value: 'conversations', label: 'Conversations' },
  ];
  return settingsPage(
    page,
    '/settings/policyForm',
    {
      policy,
      heading: policy?.name ?? 'New SLA policy',
      values,
      errors,
      targets,
      calendars: [
        { value: '', label: 'All day, every day' },
        ...calendars.map(({ id, name }) => ({ value: id, label: `Working time of ${name}` })),
      ],
      path,
      action: `${path}${policy?.id ?? 'new'}/`,
      button: policy ? 'Save' : 'Create',
    },
    { section, title: policy ? 'SLA policy' : 'New SLA policy', ...(errors ? { status: 422 } : {}) },
  );
}
