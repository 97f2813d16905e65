import { parse } from 'csv-parse/sync';
import { Op } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { invalid, invalidField } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import { lockWorkspace } from '../../identity/workspaces/service';
import { reason } from '../reasons';
import type { Reason } from '../../../core/http/reasons';

/** What the platform charges for a message of a category to a country, from a day on. */
interface Rate {
  /** Two letters; empty: every country that has none of its own. */
  readonly country: string;
  readonly category: string;
  /** A decimal number, as text. */
  readonly amount: string;
  readonly currency: string;
}

/** A rate as it is listed. */
type RateRecord = Rate & { readonly valid_from: string };

const columns = ['country', 'category', 'rate', 'currency'] as const;
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** The platform has about 250 countries and ten categories. */
const maxRates = 10_000;
/** Refused lines that are told by name. */
const maxToldErrors = 20;

/** Lists the rates of the workspace, the newest first within a country and category. */
export async function listRates(ctx: Ctx): Promise<readonly RateRecord[]> {
  return of(ctx, ctx.runtime.db.models.MessageRate).findAll({
    attributes: ['country', 'category', 'amount', 'currency', 'valid_from'],
    order: ['country', 'category', ['valid_from', 'DESC']],
    raw: true,
  });
}

/**
 * Stores the rates of a CSV file (country, category, rate, currency), which hold from a day on: all of it, or nothing
 * where a line is wrong. A workspace has one currency, as the platform's bill has; `replace` forgets all earlier rates.
 */
export async function importRates(
  ctx: Ctx,
  given: { readonly csv: string; readonly validFrom: string; readonly replace: boolean },
): Promise<{ rates: number; currency: string; valid_from: string }> {
  const rates = readRates(given.csv);
  const currency = rates[0]?.currency ?? '';
  const { MessageRate } = ctx.runtime.db.models;
  await ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    if (given.replace) await of(ctx, MessageRate).destroy({ where: {} });
    const known = await of(ctx, MessageRate).findOne({ attributes: ['currency'], raw: true });
    if (known && known.currency !== currency)
      throw invalidField('csv', reason('ratesCurrency', { known: known.currency, currency }));
    await MessageRate.bulkCreate(
      rates.map((rate) => ({ ...rate, workspace_id: ctx.workspaceId, valid_from: given.validFrom })),
      { updateOnDuplicate: ['amount', 'currency'] },
    );
  });
  return { rates: rates.length, currency, valid_from: given.validFrom };
}

/** Reads a file of rates; throws the 400 that names each wrong line. */
function readRates(csv: string): readonly Rate[] {
  let records: Record<string, string>[];
  try {
    records = parse(csv, {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      delimiter: [',', ';', '\t'],
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw invalidField(
      'csv',
      reason('csvUnread', { why: error instanceof Error ? error.message : 'The file cannot be read.' }),
    );
  }
  const first = records[0];
  if (!first) throw invalidField('csv', reason('noRates', { columns: columns.join(', ') }));
  const missing = columns.filter((name) => first[name] === undefined);
  if (missing.length > 0) throw invalidField('csv', reason('noRatesColumn', { columns: missing.join(', ') }));
  if (records.length > maxRates) throw invalidField('csv', reason('tooManyRates', { max: maxRates }));

  const seen = new Map<string, Rate>();
  const faults = records.flatMap((record, index) => {
    const rate = rateOf(record);
    const key = `${rate.country} ${rate.category}`;
    const fault = seen.has(key)
      ? reason('rateTwice')
      : (faultOf(rate) ?? (first['currency']?.toUpperCase() === rate.currency ? null : reason('rateOneCurrency')));
    seen.set(key, rate);
    // The header is the first line.
    return fault === null ? [] : [reason('line', { line: index + 2, why: fault })];
  });
  if (faults.length > 0) throw invalid({ csv: faults.slice(0, maxToldErrors) });
  return [...seen.values()];
}

function rateOf(record: Readonly<Record<string, string>>): Rate {
  const country = (record['country'] ?? '').toUpperCase();
  return {
    country: country === '*' ? '' : country,
    category: (record['category'] ?? '').toLowerCase(),
    amount: record['rate'] ?? '',
    currency: (record['currency'] ?? '').toUpperCase(),
  };
}

/** Returns what is wrong with a rate; null: nothing. */
function faultOf({ country, category, amount, currency }: Rate): Reason | null {
  if (!/^(?:[A-Z]{2})?$/.test(country)) return reason('rateNoCountry', { value: cut(country, 40) });
  if (!/^[a-z_-]{1,64}$/.test(category)) return reason('rateNoCategory', { value: cut(category, 40) });
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(amount)) return reason('noRate', { value: cut(amount, 40) });
  return currencies.has(currency) ? null : reason('noCurrency', { value: cut(currency, 40) });
}

/** Returns whether other rates begin to hold within a span of days. */
export async function ratesChange(ctx: Ctx, from: string, to: string): Promise<boolean> {
  const where = { valid_from: { [Op.gt]: from, [Op.lte]: to } };
  return (await of(ctx, ctx.runtime.db.models.MessageRate).count({ where })) > 0;
}

/**
 * SQL: the amount of the rate that holds on a day (an expression) for a country and category: one of the country before
 * one for all, the newest before older ones. Null where there is none.
 */
export const rateSql = (country: string, category: string, day: string): string => `(
  SELECT r.amount FROM message_rates r
  WHERE r.workspace_id = $workspaceId AND r.category = ${category} AND r.country IN (${country}, '')
    AND r.valid_from <= ${day}
  ORDER BY r.country DESC, r.valid_from DESC LIMIT 1)`;

/** SQL: the currency of the workspace's rates; null where it has none. */
export const currencySql = '(SELECT currency FROM message_rates WHERE workspace_id = $workspaceId LIMIT 1)';
