import { statusTag } from '../fieldViews';
import type { Html } from '../html';
import { Back, Tabs, Tag } from '../parts';
import { words } from '../words';
import type { Rule } from './choices';

const { rules } = words;

/** Where the rules are. */
export const path = '/dashboard/rules/';
/** Their place in the navigation. */
export const place = 'rules';

/** Says whether a rule is on. */
export function StateTag({ state }: Pick<Rule, 'state'>): Html {
  return <Tag {...statusTag(state, rules.states[state])} />;
}

/** Says why a rule asks for a member. */
export function attentionText(reason: string): string {
  const { other, ...known } = rules.attention;
  return Object.hasOwn(known, reason) ? known[reason as keyof typeof known] : other(reason);
}

/** The head of the pages about a rule. */
export function Head({ rule, current }: { readonly rule: Rule | null; readonly current: 'rule' | 'runs' }): Html {
  if (!rule)
    return (
      <div class="page-head">
        <Back href={path} label={rules.title} />
        <h1>{rules.new}</h1>
      </div>
    );
  const { id, name, state, attention, runs_as: owner } = rule;
  const own = `${path}${id}/`;
  const tabs = [
    { label: rules.tabs.rule, href: own, isCurrent: current === 'rule' },
    { label: rules.tabs.runs, href: `${own}runs/`, isCurrent: current === 'runs' },
  ];
  return (
    <div class="rule-head">
      <div class="page-head">
        <Back href={path} label={rules.title} />
        <h1>{name}</h1>
        <StateTag state={state} />
        <span class="soft small">{owner ? rules.runsAs(owner.name || owner.email) : rules.nobody}</span>
      </div>
      {attention && <p class="note note-warn">{attentionText(attention.reason)}</p>}
      <Tabs label={rules.tabs.label} tabs={tabs} />
    </div>
  );
}
