import type { Page } from '../../../core/http/operations';
import type { Answer, Wire } from '../../../core/http/shapes';
import type { ruleRunShape } from '../../../services/processes/ruleSettings/serializer';
import { filterView, optionsOf, pagerView, statusTag } from '../fieldViews';
import type { Html } from '../html';
import { pathOf, titlesOf } from '../inbox/load';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Filters, Pager, Tag } from '../parts';
import { words } from '../words';
import type { Rule } from './choices';
import { Head, path, place } from './head';
import { eventText, reasonText } from './sentence';

const { rules } = words;

type Run = typeof ruleRunShape extends Wire<infer T> ? Answer<T> : never;

/** Answers with the runs of a rule, the newest first, and what became of them. */
export async function runsPage(page: PageRequest, rule: Rule): Promise<PageAnswer> {
  const { state, page: number } = page.query;
  const own = `${path}${rule.id}/runs/`;
  const found = await page.call<Page<Run>>('rules.runs', { id: rule.id, state, page: number, page_size: 50 });
  const names = await titlesOf(page, found.items);
  const states = optionsOf([['', rules.runs.all], ...Object.entries(rules.runs.states)]);
  const body = (
    <div class="column column-wide">
      <Head rule={rule} current="runs" />
      <form class="filter-form" method="get" action={own}>
        <Filters filters={[filterView('state', rules.runs.filter, states, state)]} />
        <button class="button unscripted">{rules.runs.find}</button>
      </form>
      {found.items.length === 0 ? (
        <Empty icon="timer" {...rules.runs.empty} />
      ) : (
        <Runs page={page} runs={found.items} names={names} />
      )}
      <Pager pager={pagerView(found, own, { state })} />
    </div>
  );
  return page.page(body, { title: rules.runs.title(rule.name), place });
}

interface RunsGiven {
  readonly page: PageRequest;
  readonly runs: readonly Run[];
  /** What the customers are called, by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

function Runs({ page, runs, names }: RunsGiven): Html {
  const { runs: said } = rules;
  const columns = [said.customer, said.by, said.started, said.moment, said.end];
  return (
    <div class="table-scroll" tabindex={0} role="region" aria-label={rules.tabs.runs}>
      <table class="table table-cards">
        <thead>
          <tr>
            {columns.map((label) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map(({ receiver_id, event, started_at: started, moment, state, reason }) => (
            <tr>
              <td data-label={said.customer}>
                <a href={pathOf({ receiver_id })} dir="auto">
                  {names.get(receiver_id) ?? receiver_id}
                </a>
              </td>
              <td data-label={said.by}>{eventText(event)}</td>
              <td data-label={said.started}>{page.timePart(started, 'full')}</td>
              <td data-label={said.moment}>{page.timePart(moment, 'full')}</td>
              <td data-label={said.end}>
                <Tag {...statusTag(state, said.states[state])} />
                {reason && <span class="soft small"> {reasonText(reason)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
