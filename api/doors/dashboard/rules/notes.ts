import { isPlainObject } from '../../../core/http/fields';
import { loadLookups } from '../lookups';
import type { PageRequest } from '../page';
import { describeStep, type StepText } from '../team/stepTexts';
import { words } from '../words';
import type { RuleChoices } from './choices';
import type { Draft } from './draft';
import { starterOf } from './starters';

const { notes: said } = words.rules;

/** Something that the workspace lacks for a rule, with the way to where it is set, for whoever may. */
export interface DraftNote {
  readonly text: string;
  readonly href: string | undefined;
  readonly link: string;
}

/** The macro of a draft. */
interface DraftMacro {
  readonly name: string;
  readonly actions: readonly unknown[];
}

/** Returns the macro that a draft chooses: one that is there, or that of a ready rule, which is made with it. */
export function macroOf(page: PageRequest, draft: Draft, { macros }: RuleChoices): DraftMacro | undefined {
  return macros.find(({ id }) => String(id) === draft.macro) ?? starterOf(page.workspace, draft.macro)?.macro;
}

/** Says what a macro does, step by step. */
export async function macroDoes(page: PageRequest, macro: DraftMacro | undefined): Promise<readonly StepText[]> {
  if (!macro) return [];
  const lookups = await loadLookups(page);
  return macro.actions.flatMap((action) => {
    if (!isPlainObject(action) || typeof action['type'] !== 'string') return [];
    const { type, params } = action;
    return describeStep(type, isPlainObject(params) ? params : {}, lookups);
  });
}

/** Says what a draft goes by that the workspace does not have yet. */
export async function notesOf(page: PageRequest, draft: Draft): Promise<readonly DraftNote[]> {
  const { on, conditions, waitKind } = draft;
  const notes: DraftNote[] = [];
  const may = page.can('workspace.manage');
  const goesByHours = /^(hours|opening)$/.test(waitKind) || conditions.some(({ field }) => field === 'hours');
  // Who may not read calendars is told nothing of them.
  const calendars = goesByHours
    ? await page.callIfPermitted<readonly unknown[] | null>('calendars.list', {}, null)
    : null;
  if (calendars?.length === 0)
    notes.push({ text: said.noHours, href: may ? '/dashboard/hours/' : undefined, link: said.setHours });
  const isAboutRatings = on.some(({ what }) => what === 'conversation.rated');
  if (isAboutRatings && !page.workspace.ask_satisfaction)
    notes.push({ text: said.noRating, href: may ? '/dashboard/workspace/' : undefined, link: said.askRating });
  return notes;
}
