import type { UsageGroup } from '../../../../services/resources/usage/service';
import { plural } from '../plural';

const rates = { one: 'rate', other: 'rates' };

/** What messages cost. */
export const usage = {
  title: 'Costs',
  about:
    'Messages that arrived, and those for which the platform says that it charges. What that costs is reckoned by ' +
    "the rates below; the platform's bill has the last word.",
  fields: { from: 'From', to: 'To', group_by: 'Sums' },
  groups: {
    day: 'Day',
    number: 'Phone number',
    category: 'Category',
    broadcast: 'Broadcast',
    member: 'Member',
    country: 'Country',
  } satisfies Record<UsageGroup, string>,
  by: {
    day: 'By day',
    number: 'By phone number',
    category: 'By category',
    broadcast: 'By broadcast',
    member: 'By member',
    country: 'By country',
  } satisfies Record<UsageGroup, string>,
  show: 'Show',
  empty: { title: 'No messages', text: 'None arrived on these days.' },
  columns: { arrived: 'Arrived', charged: 'Charged', cost: 'Cost' },
  all: 'All',
  none: 'None',
  noRate: 'no rate',
  broadcast: (id: string) => `Broadcast ${id}`,
  rates: {
    title: 'Rates',
    empty: "There are none yet. Take them from the platform's rate card.",
    others: 'All other countries',
    from: (amount: string, from: string) => `${amount}, from ${from}`,
    fields: {
      csv: {
        label: 'Rates as CSV',
        hint: 'Columns: country (two letters, or * for all others), category, rate, currency.',
      },
      valid_from: { label: 'Valid from' },
      replace: { label: 'Replace all earlier rates' },
    },
    store: 'Store the rates',
    stored: (count: number) => `${plural(count, rates)} stored.`,
  },
};
