import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import type { rehearsalShape } from '../../../services/processes/ruleRehearsal/operations';
import { optionsOf } from '../fieldViews';
import { moneyText } from '../formats';
import type { Html } from '../html';
import type { PageRequest } from '../page';
import { refusalText } from '../refusals';
import { asking, Errors, Field, Form, Says } from '../parts';
import { words } from '../words';
import type { Rule } from './choices';
import { reasonText } from './sentence';

const { rules } = words;
const { rehearsal: said } = rules;

/** What a rule would have done. */
export type Rehearsal = typeof rehearsalShape extends Wire<infer T> ? Answer<T> : never;

/** How many days it may look back, as the page offers them. */
export const rehearsedDays = [1, 3, 7, 14, 30] as const;
const examplesShown = 8;

interface PanelGiven {
  readonly page: PageRequest;
  readonly rule: Rule;
  readonly path: string;
  readonly days: number;
  /** Null: it was not rehearsed yet. */
  readonly result: { readonly value: Rehearsal } | { readonly errors: FieldErrors } | null;
}

/** What a rule would have done, and behind it the switch. */
export function RehearsalPanel({ page, rule, path, days, result }: PanelGiven): Html {
  const { state, name, counts } = rule;
  const mayWrite = page.may('rules.update');
  const mayRehearse = page.may('rules.rehearse');
  return (
    <section class="panel rule-rehearsal" id="rehearsal" aria-labelledby="rehearsal-title">
      <h2 id="rehearsal-title">{mayRehearse ? said.title : rules.switch.title}</h2>
      {mayRehearse && (
        <>
          <p class="soft small">{said.text}</p>
          {result && 'value' in result && <Result page={page} result={result.value} />}
          {result && 'errors' in result && <Errors errors={result.errors} />}
          <Asking path={path} days={days} again={result !== null} />
          {mayWrite && state === 'off' && !result && <p class="soft small">{said.first}</p>}
        </>
      )}
      {mayWrite && (
        <div class="actions">
          {state !== 'on' && (result || state === 'paused' || !mayRehearse) && (
            <Switch
              page={page}
              path={path}
              to="on"
              text={state === 'paused' ? rules.switch.again : rules.switch.on}
              main
            />
          )}
          {state === 'on' && <Switch page={page} path={path} to="paused" text={rules.switch.pause} />}
          {state !== 'off' && (
            <Switch
              page={page}
              path={path}
              to="off"
              text={rules.switch.off}
              {...(counts.waiting > 0
                ? { ask: { title: rules.switch.offAsk(name), text: rules.switch.offText(counts.waiting) } }
                : {})}
            />
          )}
        </div>
      )}
    </section>
  );
}

function Asking({ path, days, again }: Pick<PanelGiven, 'path' | 'days'> & { readonly again: boolean }): Html {
  return (
    <form
      class="inline-form"
      method="get"
      action={path}
      hx-get={path}
      hx-target="#rehearsal"
      hx-select="#rehearsal"
      hx-swap="outerHTML"
      hx-disabled-elt="find button"
    >
      <Field
        name="days"
        id="rehearsal-days"
        label={said.days}
        type="select"
        options={optionsOf(rehearsedDays.map((count) => [count, said.daysText(count)]))}
        value={days}
      />
      <button class="button" type="submit">
        {again ? said.again : said.run}
      </button>
    </form>
  );
}

interface SwitchGiven {
  readonly page: PageRequest;
  readonly path: string;
  readonly to: Rule['state'];
  readonly text: string;
  readonly main?: boolean;
  readonly ask?: { readonly title: string; readonly text: string };
}

function Switch({ page, path, to, text, main, ask }: SwitchGiven): Html {
  const asked = ask ? asking({ ...ask, button: text }) : {};
  return (
    <Form action={`${path}state/`} csrf={page.csrf} {...asked}>
      <input type="hidden" name="state" value={to} />
      <button class={main ? 'button button-main' : 'button'} type="submit">
        {text}
      </button>
    </Form>
  );
}

/** Tells what a rule would have done. */
export function Result({ page, result }: { readonly page: PageRequest; readonly result: Rehearsal }): Html {
  const { from, to, would, messages, cost, by_day: days, examples, not_known: notKnown } = result;
  const most = Math.max(1, ...days.map(({ apply }) => apply));
  return (
    <div class="rule-result" role="status">
      <p class="small soft">{said.between(page.moment(from), page.moment(to))}</p>
      {would.start === 0 ? (
        <p>{said.none}</p>
      ) : (
        <ul class="rule-would">
          <li>
            <strong>{said.apply(would.apply)}</strong>
          </li>
          <li>{said.start(would.start)}</li>
          {would.ended > 0 && <li>{said.ended(would.ended)}</li>}
          {Object.entries(would.skipped).map(([code, count]) => (
            <li>{said.skipped(Number(count), reasonText(code))}</li>
          ))}
          {Object.entries(would.failed).map(([code, count]) => (
            <li>{said.failed(Number(count), reasonText(code))}</li>
          ))}
          {messages > 0 && <li>{said.messages(messages)}</li>}
          {cost && cost.amount > 0 && <li>{said.cost(moneyText(cost.amount, cost.currency))}</li>}
        </ul>
      )}
      {would.apply > 0 && (
        <table class="rule-days">
          <tbody>
            {days.map(({ day, apply }) => (
              <tr>
                <th scope="row">{page.moment(`${day}T12:00:00Z`, 'day')}</th>
                <td>
                  <progress max={most} value={apply} aria-hidden="true" /> {apply}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {examples.length > 0 && (
        <>
          <h3>{said.examples}</h3>
          <ul class="rule-examples">
            {examples.slice(0, examplesShown).map(({ receiver_id: receiver, name, moment, end, why, text }) => (
              <li>
                <a href={`/dashboard/inbox/${encodeURIComponent(receiver)}/`} dir="auto">
                  {name || receiver}
                </a>{' '}
                <span class="soft small">
                  {page.timePart(moment, 'full')} · {endText(end)}
                  {why && ` · ${reasonText(why)}`}
                </span>
                <Says text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
      {notKnown.length > 0 && (
        <>
          <h3>{said.notKnown}</h3>
          <ul class="soft small">
            {notKnown.map((one) => (
              <li>{refusalText(one)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const endText = (end: string): string =>
  Object.hasOwn(rules.runs.states, end) ? rules.runs.states[end as keyof typeof rules.runs.states] : end;
