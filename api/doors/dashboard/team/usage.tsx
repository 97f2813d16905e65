import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { localesNow } from '../../../core/text/language';
import { dayOf } from '../../../core/zones';
import { ratesImportedShape, rateShape, usageShape } from '../../../services/resources/usage/operations';
import { usageGroups } from '../../../services/resources/usage/service';
import { moneyText, numberText } from '../formats';
import type { Html } from '../html';
import { loadNames, loadNumbers } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Field, Form } from '../parts';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Head } from '../headParts';
import { Facts, Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { usage } = words;
const path = '/dashboard/usage/';
const scope = 'workspace.manage';

type Usage = typeof usageShape extends Wire<infer T> ? Answer<T> : never;

/** A row of the sums; the last one has the total. */
interface Row extends Usage {
  readonly isTotal: boolean;
}

/** What messages cost, and the rates by which that is reckoned. */
export const usagePages = definePages([
  { method: 'GET', path, scope, run: (page) => show(page) },
  {
    method: 'POST',
    path: `${path}rates/`,
    scope,
    run: async (page) => {
      const { csv, valid_from: validFrom, replace } = page.form;
      const given = { csv, valid_from: validFrom, replace: replace === 'true' };
      const done = await page.attempt(() => readOne(page, ratesImportedShape, 'usage.importRates', given));
      if ('errors' in done) return show(page, done.errors);
      return page.redirect(path, { text: usage.rates.stored(done.value.rates) });
    },
  },
]);

async function show(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const today = dayOf(page.now, page.workspace.timezone);
  const { from = `${today.slice(0, 8)}01`, to = today, group_by: asked = 'category' } = page.query;
  const [read, nameOf, rates] = await Promise.all([
    page.attempt(() => readList(page, usageShape, 'usage.read', { from, to, group_by: asked })),
    namesOf(page, asked),
    ratesPart(page, today, errors),
  ]);
  const rows = 'errors' in read ? [] : read.value;
  const refused = 'errors' in read ? read.errors : undefined;
  const day = (name: 'from' | 'to', value: string): Html => (
    <Field name={name} label={usage.fields[name]} type="date" value={value} errors={refused} required />
  );
  const body = (
    <>
      <Head title={usage.title} />
      <p class="soft">{usage.about}</p>
      <form class="filter-form" method="get" action={path}>
        <Errors errors={refused} fields={['from', 'to']} />
        {day('from', from)}
        {day('to', to)}
        <Field
          name="group_by"
          label={usage.fields.group_by}
          type="select"
          options={usageGroups.map((value) => ({ value, label: usage.by[value] }))}
          value={asked}
          attributes={{ 'data-submit': '' }}
        />
        <button class="button" type="submit">
          {usage.show}
        </button>
      </form>
      {rows.length === 0 ? (
        <Empty icon="scroll-text" {...usage.empty} />
      ) : (
        <Table
          label={usage.title}
          columns={columnsOf(asked, nameOf)}
          items={[...rows.map((row) => ({ ...row, isTotal: false })), totalOf(rows)]}
        />
      )}
      {rates}
    </>
  );
  const status = errors || refused ? { status: 422 } : {};
  return settingsPage(page, body, { section: 'usage', title: usage.title, ...status });
}

function columnsOf(asked: string, nameOf: (key: string) => string): readonly Column<Row>[] {
  const { arrived, charged, cost: price } = usage.columns;
  const column = (label: string, text: (row: Row) => string): Column<Row> => ({
    label,
    show: (row) => (row.isTotal ? <strong>{text(row)}</strong> : text(row)),
  });
  const nameOfRow = ({ key, isTotal }: Row): string => (isTotal ? usage.all : key === null ? usage.none : nameOf(key));
  const group = usageGroups.find((one) => one === asked);
  const named = column(group ? usage.groups[group] : '', nameOfRow);
  const hasPage = ({ key, isTotal }: Row): boolean => group === 'broadcast' && !isTotal && Boolean(key);
  return [
    {
      ...named,
      show: (row) =>
        hasPage(row) ? <a href={`/dashboard/broadcasts/${row.key}/`}>{nameOfRow(row)}</a> : named.show(row),
    },
    column(arrived, ({ messages }) => numberText(messages)),
    column(charged, ({ billable }) => numberText(billable)),
    column(price, ({ cost, currency }) =>
      cost === null || currency === null ? usage.noRate : moneyText(cost, currency),
    ),
  ];
}

/** The rates, and the form that takes others. */
async function ratesPart(page: PageRequest, today: string, errors?: FieldErrors): Promise<Html> {
  const { rates: own } = usage;
  const rates = await readList(page, rateShape, 'usage.listRates');
  const facts = rates.map(({ country, category, amount, currency, valid_from: from }) => {
    return [
      `${country || own.others}, ${valueWord(category)}`,
      own.from(`${Number(amount)} ${currency}`, from),
    ] as const;
  });
  const { csv, valid_from: validFrom = today, replace } = page.form;
  return (
    <section class="kept" aria-labelledby="rates-title">
      <h2 id="rates-title">{own.title}</h2>
      {facts.length === 0 ? <p class="soft">{own.empty}</p> : <Facts facts={facts} style="whole" />}
      {page.may('usage.importRates') && (
        <Form class="column" action={`${path}rates/`} csrf={page.csrf} data-unsaved={errors ? '' : undefined}>
          <Errors errors={errors} fields={['csv', 'valid_from', 'replace']} />
          <Field name="csv" {...own.fields.csv} type="textarea" rows={6} value={csv} errors={errors} required />
          <Field name="valid_from" {...own.fields.valid_from} type="date" value={validFrom} errors={errors} required />
          <Field name="replace" {...own.fields.replace} type="checkbox" value={replace} errors={errors} />
          <div class="actions">
            <button class="button button-main" type="submit">
              {own.store}
            </button>
          </div>
        </Form>
      )}
    </section>
  );
}

/** Returns what is written for a key of a group: names where there are some. */
async function namesOf(page: PageRequest, group: string): Promise<(key: string) => string> {
  const named = new Map<string, string>();
  if (group === 'number')
    for (const number of await loadNumbers(page)) named.set(number.phone_number_id, number.display_phone_number);
  if (group === 'member') for (const [id, name] of (await loadNames(page)).members) named.set(String(id), name);
  const countries = new Intl.DisplayNames(localesNow().numbers, { type: 'region' });
  return (key) =>
    named.get(key) ??
    (group === 'country' ? (countries.of(key) ?? key) : group === 'broadcast' ? usage.broadcast(key) : valueWord(key));
}

function totalOf(rows: readonly Usage[]): Row {
  const sum = (of: (row: Usage) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    isTotal: true,
    key: '',
    messages: sum(({ messages }) => messages),
    billable: sum(({ billable }) => billable),
    cost: rows.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
    currency: rows[0]?.currency ?? null,
  };
}
