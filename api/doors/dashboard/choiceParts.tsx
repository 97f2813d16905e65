import type { FieldGiven } from './fieldViews';
import { Hidden, Was } from './formParts';
import type { Html } from './html';
import { Field } from './parts';

/** Something to choose. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly detail: string;
}

/** A field for something to choose: people type what they know of it, and the form says its value. */
export interface ChoiceField {
  readonly field: FieldGiven;
  /** The name of the field that says the value. */
  readonly name: string;
  readonly chosen: string;
  /** The value that a form was filled with, where only what was changed is saved; null: all is. */
  readonly was: string | null;
  /** The text that stands for the chosen value; other words mean something else. */
  readonly words: string;
  /** The id of the list below the field. */
  readonly list: string;
  readonly kind: { readonly title: string; readonly question: string };
  /** What may have been meant, when what was typed was refused. */
  readonly choices: readonly Choice[];
  /** A choice is saved by itself. */
  readonly savesItself: boolean;
}

/** A field for something to choose, with a list of what fits what is typed (choices.js). */
export function ChoiceInput({ field }: { readonly field: ChoiceField }): Html {
  const { name, chosen, was, list, kind, choices, savesItself } = field;
  return (
    <div class="picker">
      <div class="picker-field">
        <Field {...field.field} />
        <ul class="options picker-list" id={list} role="listbox" aria-label={kind.title} hidden></ul>
      </div>
      <Hidden values={[[name, chosen]]} />
      <Was was={[[field.field.name, field.words]]} />
      {was !== null && <Was was={[[name, was]]} />}
      {choices.length > 0 && (
        <fieldset class="checks">
          <legend class="label">{kind.question}</legend>
          <ul class="choices">
            {choices.map((choice) => (
              <li>
                <label class="choice">
                  <input type="radio" name={name} value={choice.value} data-submit={savesItself ? '' : undefined} />
                  <span class="choice-name" dir="auto">
                    {choice.name}
                  </span>{' '}
                  <span class="choice-detail">{choice.detail}</span>
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
    </div>
  );
}

/** What fits what is typed into a field for something to choose; `field` is its name. */
export function ChoiceList({ field, choices }: { readonly field: string; readonly choices: readonly Choice[] }): Html {
  return (
    <>
      {choices.map(({ value, name, detail }) => (
        <li id={`${field}-${value}`} role="option" aria-selected="false" data-value={value} data-name={name}>
          <strong class="cut" dir="auto">
            {name}
          </strong>{' '}
          <span class="soft small cut">{detail}</span>
        </li>
      ))}
    </>
  );
}
