import { createMacro, ownerSession, step } from '../factories/macros';
import { saveRule } from '../factories/rules';
import { count, shown, told, valueOf, type Place, type Row, type Write } from './storedRows';

/** The sentence that the form reads. */
const reads: Row = ({ page }) => page.locator('#told').textContent();
const braked: Row = (place) => valueOf(place, 'SELECT rule_brake IS NOT NULL AS it FROM workspaces WHERE id = $w');
const brake = async ({ show }: Place, on: boolean): Promise<void> => {
  await (await ownerSession(show.workspace)).api.post('/api/v1/rules/brake/', { on, reason: 'Tried' });
};

const noWait = async ({ show }: Place): Promise<void> => {
  await (await ownerSession(show.workspace)).api.patch(`/api/v1/rules/${show.rule}/`, { wait: null });
};

/** A rule of its own for the control, in a state. */
const own = (state: string, query = ''): Pick<Write, 'at' | 'prepare'> => ({
  prepare: async (place) => {
    const { workspace } = place.show;
    const macro = await createMacro(workspace, [step('set_priority', { priority: 'high' })]);
    const { id } = await saveRule(workspace, { macro_id: macro, state: state === 'off' ? 'off' : 'on' });
    place.made = id;
    if (state === 'paused')
      await (await ownerSession(workspace)).api.patch(`/api/v1/rules/${id}/`, { state: 'paused' });
  },
  at: ({ made }) => `/dashboard/rules/${made}/${query}`,
});
const state = told('rules', 'state', ({ made }) => made);

/** The controls of the pages of rules. */
export const ruleWrites: readonly (readonly [string, Write])[] = [
  ['POST rules/new/ do=add_on', { at: () => '/dashboard/rules/new/', row: shown('.rule-row') }],
  ['POST rules/new/ do=add_if', { at: () => '/dashboard/rules/new/', row: shown('.rule-row') }],
  ['POST rules/new/ do=rehearse', { at: () => '/dashboard/rules/new/', row: shown('.field-error') }],
  ['POST rules/:id/ do=rehearse', { row: shown('.rule-result') }],
  ['POST rules/new/ do=save', { at: () => '/dashboard/rules/new/', fill: { name: 'R' }, row: shown('.field-error') }],
  ['POST rules/new/ on-#-what', { at: () => '/dashboard/rules/new/', row: reads }],
  ['POST rules/new/ wait-kind', { at: () => '/dashboard/rules/new/', row: shown('[name=wait-amount]'), is: 1 }],
  ...['add_on', 'add_if', 'drop_on:#', 'drop_if:#'].map((verb): [string, Write] => [
    `POST rules/:id/ do=${verb}`,
    { row: shown('.rule-row') },
  ]),
  ...['on-#-what', 'if-#-field'].map((name): [string, Write] => [`POST rules/:id/ ${name}`, { row: reads }]),
  ['POST rules/:id/ if-#-op', { row: reads }],
  ['POST rules/:id/ wait-kind', { prepare: noWait, row: shown('[name=wait-amount]'), is: 1 }],
  [
    'POST rules/:id/ do=save',
    {
      fill: ({ mark }) => ({ name: `R ${mark}` }),
      row: told('rules', `name = 'R ' || $mark`, ({ show }) => show.rule),
      is: true,
    },
  ],
  ['POST rules/:id/state/ state=on', { ...own('off', '?days=1'), row: state, is: 'on' }],
  ['POST rules/:id/state/ state=on (again)', { ...own('paused'), row: state, is: 'on' }],
  ['POST rules/:id/state/ state=paused', { ...own('on'), row: state, is: 'paused' }],
  ['POST rules/:id/state/ state=off', { ...own('on'), row: state, is: 'off' }],
  ['POST rules/:id/delete/', { ...own('off'), row: count('rules', 'id = $id', ({ made }) => made), is: 0 }],
  [
    'POST rules/brake/ on=true',
    { at: () => '/dashboard/rules/', prepare: (place) => brake(place, false), row: braked, is: true },
  ],
  [
    'POST rules/brake/ on=false',
    { at: () => '/dashboard/rules/', prepare: (place) => brake(place, true), row: braked, is: false },
  ],
];
