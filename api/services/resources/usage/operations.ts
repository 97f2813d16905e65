import { boolean, choice, date, described, input, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { importRates, listRates } from './rates';
import { readUsage, usageGroups } from './service';

// What the platform charges is the dashboard's: no key reads it (contract 17).
const common = { tag: 'Usage', scope: 'workspace.manage', audience: 'session' } as const;
const maxCsvCharacters = 1_000_000;

/** What arrived of one group, and what it cost. */
export const usageShape = wire.named('Usage', {
  key: wire.nullable(
    wire.text('The day, phone_number_id, category, id of broadcast or member, or country; null: none.'),
  ),
  messages: wire.integer('Outbound messages that arrived.'),
  billable: wire.integer('Those that the platform charges.'),
  cost: {
    ...wire.nullable(wire.number()),
    description: 'By the rates that held on the day; null: one is missing.',
  },
  currency: wire.nullable(wire.text()),
});

/** What a message costs from a day on. */
export const rateShape = wire.named('Rate', {
  country: wire.text('Two letters; empty: every country without a rate of its own.'),
  category: wire.text('As the platform calls it: marketing, utility, authentication, service, …'),
  amount: wire.text('A decimal number.'),
  currency: wire.text(),
  valid_from: wire.text('A date.'),
});

/** What an import stored. */
export const ratesImportedShape = wire.named('RatesImported', {
  rates: wire.integer('How many were stored.'),
  currency: wire.text(),
  valid_from: wire.text('The first day on which they hold.'),
});

/** What messages cost (contract 17). */
export const usageOperations = [
  operation({
    ...common,
    id: 'usage.read',
    method: 'GET',
    path: '/api/v1/usage/',
    summary: 'Sum up what arrived and what it cost',
    description:
      'Messages that arrived on the days from `from` to `to` in the time zone of the workspace, both included, at ' +
      'most 366 days. `billable`: what the platform says that it charges. `cost` is null where a charged message has ' +
      'no rate.',
    query: input({
      from: described(date(), 'First day. Default: the first of the month of `to`.', '2026-10-01'),
      to: described(date(), 'Last day. Default: today.', '2026-10-31'),
      group_by: described(choice(usageGroups), 'What the figures are summed up by. Default: `day`.', 'category'),
    }),
    status: 200,
    output: wire.list(usageShape),
    run: (ctx, { from, to, group_by: groupBy = 'day' }) => readUsage(ctx, { from, to, groupBy }),
  }),
  operation({
    ...common,
    id: 'usage.listRates',
    method: 'GET',
    path: '/api/v1/usage/rates/',
    summary: 'List the rates',
    description: 'What a message of a category to a country costs, from a day on, as a plain array.',
    status: 200,
    output: wire.list(rateShape),
    run: (ctx) => listRates(ctx),
  }),
  operation({
    ...common,
    id: 'usage.importRates',
    method: 'POST',
    path: '/api/v1/usage/rates/',
    summary: 'Import rates',
    description:
      'Takes a CSV file with the columns country (two letters, or `*` for all others), category, rate and currency. ' +
      'All of it is stored, or nothing. Earlier rates hold for the days before `valid_from`.',
    body: input({
      csv: required(
        described(
          text({ max: maxCsvCharacters, blank: false }),
          'The text of the file.',
          'country,category,rate,currency',
        ),
      ),
      valid_from: required(described(date(), 'First day on which these rates hold.', '2026-10-01')),
      replace: described(boolean(), 'Whether all rates of before are forgotten. Default: false.'),
    }),
    status: 200,
    output: ratesImportedShape,
    examples: {
      request: {
        csv: 'country,category,rate,currency\nDE,marketing,0.1131,EUR\n*,utility,0.0450,EUR\n',
        valid_from: '2026-10-01',
      },
    },
    run: (ctx, { csv, valid_from: validFrom, replace = false }) => importRates(ctx, { csv, validFrom, replace }),
  }),
];
