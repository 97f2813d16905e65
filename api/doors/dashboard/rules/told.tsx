import { followsForm } from '../formParts';
import { Icon, type Html } from '../html';
import { Says } from '../parts';
import type { StepText } from '../team/stepTexts';
import { words } from '../words';
import type { RuleChoices } from './choices';
import { partsOf, type Draft } from './draft';
import type { DraftNote } from './notes';
import { sentenceOf, type SentenceView } from './sentence';

const { rules } = words;
const { form: said } = rules;

/** A rule as one reads it. */
export function Sentence({ text, macro }: SentenceView): Html {
  return (
    <span class="rule-sentence">
      {text}
      <em>{macro}</em>
    </span>
  );
}

/** A rule as it stands in its form, and what is to be known of it. */
export interface ToldGiven {
  /** The form's; empty for who may not change it. */
  readonly action: string;
  readonly draft: Draft;
  readonly choices: RuleChoices;
  /** What its macro is called; undefined: none is chosen. */
  readonly macro: string | undefined;
  /** What its macro does, step by step. */
  readonly does: readonly StepText[];
  /** What the workspace lacks for it. */
  readonly notes: readonly DraftNote[];
  /** How many wait for it: these waits end when it is changed. */
  readonly waiting: number;
}

/** The sentence that the form says; it follows what is chosen, and touches no field. */
export function Told(given: ToldGiven & { readonly mayWrite: boolean }): Html {
  const { action, draft, choices, macro = rules.sentence.notYet, does, notes, waiting, mayWrite } = given;
  const follows = mayWrite ? followsForm('#rule', action) : {};
  return (
    <section class="rule-told" id="told" aria-label={said.reads} {...follows}>
      <p>
        <Sentence {...sentenceOf({ ...partsOf(draft, choices), macro }, choices)} />
      </p>
      {does.length > 0 && (
        <ul class="rule-does small" aria-label={said.does}>
          {does.map(({ text, says }) => (
            <li>
              {text}
              <Says text={says} />
            </li>
          ))}
        </ul>
      )}
      {notes.map(({ text, href, link }) => (
        <p class="small">
          <Icon name="circle-alert" /> {text} {href && <a href={href}>{link}</a>}
        </p>
      ))}
      {waiting > 0 && <p class="soft small">{rules.ends(waiting)}</p>}
    </section>
  );
}
