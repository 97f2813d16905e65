import type { FieldErrors } from '../../../core/http/errors';
import { dayOf } from '../../../core/zones';
import { usageGroups, type Usage, type UsageGroup } from '../../../services/resources/usage/service';
import type { RateRecord } from '../../../services/resources/usage/rates';
import { amountText, moneyText, numberText } from '../formats';
import { loadMembers, loadNumbers, memberNames } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/usage/';
const scope = 'workspace.manage';

/** A row of the sums, in words. */
interface UsageRow {
  readonly name: string;
  /** The page of what it names; null: it has none. */
  readonly href: string | null;
  readonly messages: string;
  readonly billable: string;
  readonly cost: string;
}

/** A rate as a row of the list. */
interface RateRow {
  readonly words: string;
  readonly amount: string;
  readonly from: string;
}

const groupWords: Readonly<Record<UsageGroup, string>> = {
  day: 'Day',
  number: 'Phone number',
  category: 'Category',
  broadcast: 'Broadcast',
  member: 'Member',
  country: 'Country',
};

/** What messages cost, and the rates by which that is reckoned. */
export const usagePages = definePages([
  { method: 'GET', path, scope, run: (page) => show(page) },
  {
    method: 'POST',
    path: `${path}rates/`,
    scope,
    run: async (page) => {
      const { csv, valid_from: validFrom, replace } = page.form;
      const done = await page.attempt(() =>
        page.call<{ rates: number }>('usage.importRates', { csv, valid_from: validFrom, replace: replace === 'true' }),
      );
      if ('errors' in done) return show(page, done.errors);
      return page.redirect(path, { text: `${amountText(done.value.rates, 'rate')} stored.` });
    },
  },
]);

async function show(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const today = dayOf(page.now, page.workspace.timezone);
  const { from = `${today.slice(0, 8)}01`, to = today, group_by: groupBy = 'category' } = page.query;
  const [read, rates, nameOf] = await Promise.all([
    page.attempt(() => page.call<readonly Usage[]>('usage.read', { from, to, group_by: groupBy })),
    page.call<readonly RateRecord[]>('usage.listRates'),
    namesOf(page, groupBy),
  ]);
  const rows = 'errors' in read ? [] : read.value;
  const refused = 'errors' in read ? read.errors : undefined;
  return settingsPage(
    page,
    '/settings/usage',
    {
      query: { from, to, group_by: groupBy },
      refused,
      groups: usageGroups.map((value) => ({ value, label: `By ${groupWords[value].toLowerCase()}` })),
      heading: groupWords[groupBy as UsageGroup],
      rows: rows.map((row) => rowOf(row, groupBy, nameOf)),
      total: rowOf(totalOf(rows), groupBy, () => 'All'),
      rates: rates.map(rateRow),
      values: { valid_from: today, ...page.form },
      errors,
      path,
    },
    { section: 'usage', title: 'Costs', ...(errors || refused ? { status: 422 } : {}) },
  );
}

/** Returns what is written for a key of a group: names where there are some. */
async function namesOf(page: PageRequest, groupBy: string): Promise<(key: string) => string> {
  const named = new Map<string, string>();
  if (groupBy === 'number')
    for (const number of await loadNumbers(page)) named.set(number.phone_number_id, number.display_phone_number);
  if (groupBy === 'member') for (const [id, name] of memberNames(await loadMembers(page))) named.set(String(id), name);
  const countries = new Intl.DisplayNames('en', { type: 'region' });
  return (key) =>
    named.get(key) ??
    (groupBy === 'country' ? (countries.of(key) ?? key) : groupBy === 'broadcast' ? `Broadcast ${key}` : key);
}

function rowOf(
  { key, messages, billable, cost, currency }: Usage,
  groupBy: string,
  nameOf: (key: string) => string,
): UsageRow {
  return {
    name: key === null ? 'None' : nameOf(key),
    href: groupBy === 'broadcast' && key !== null && key !== '' ? `/dashboard/broadcasts/${key}/` : null,
    messages: numberText(messages),
    billable: numberText(billable),
    cost: cost === null || currency === null ? 'no rate' : moneyText(cost, currency),
  };
}

function totalOf(rows: readonly Usage[]): Usage {
  const sum = (of: (row: Usage) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    key: '',
    messages: sum(({ messages }) => messages),
    billable: sum(({ billable }) => billable),
    cost: rows.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
    currency: rows[0]?.currency ?? null,
  };
}

function rateRow({ country, category, amount, currency, valid_from: from }: RateRecord): RateRow {
  return { words: `${country || 'All other countries'}, ${category}`, amount: `${Number(amount)} ${currency}`, from };
}
