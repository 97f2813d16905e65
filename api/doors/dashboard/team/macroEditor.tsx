import { Fault, isPlainObject } from '../../../core/http/fields';
import type { FieldErrors } from '../../../core/http/errors';
import { parseActions } from '../../../services/resources/macros/actions';
import { Ask, asksOnChange, followsForm } from '../formParts';
import { Icon, type Html } from '../html';
import type { Lookups } from '../lookups';
import type { PageRequest } from '../page';
import { Errors, Field, Form, Says } from '../parts';
import { words } from '../words';
import { fieldsOf, fromEdited, stepForms, type EditedStep, type StepRow } from './macroForm';
import { actionLabels, describeStep, type StepText } from './stepTexts';

const { macros, common } = words;
const { steps: said } = macros;

/** A macro as its form has it. */
export interface MacroDraft {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly StepRow[];
}

interface FormGiven {
  readonly page: PageRequest;
  readonly action: string;
  readonly draft: MacroDraft;
  readonly lookups: Lookups;
  readonly errors: FieldErrors | undefined;
  /** The steps were checked, and are fine. */
  readonly isGood: boolean;
}

const labelOf = (type: string): string => actionLabels[type] ?? type;

/** The form of a macro: its steps, and below them what they do. */
export function MacroForm(given: FormGiven): Html {
  const { page, action, draft, isGood } = given;
  const errors = otherErrors(given.errors);
  const mayWrite = page.may('macros.update');
  const body = (
    <>
      <Errors errors={errors} fields={['name', 'description']} />
      <Field name="name" label={macros.name} value={draft.name} errors={errors} attributes={{ maxlength: 255 }} />
      <Field name="description" label={macros.description} value={draft.description} errors={errors} optional />
      <h2>{said.title}</h2>
      {draft.steps.length === 0 && <p class="soft">{said.none}</p>}
      <ol class="steps">
        {draft.steps.map((step, index) => (
          <Step {...given} mayWrite={mayWrite} step={step} index={index} />
        ))}
      </ol>
      {mayWrite && <AddStep action={action} />}
      <Told {...given} mayWrite={mayWrite} />
    </>
  );
  if (!mayWrite)
    return (
      <fieldset class="bare" id="macro" disabled>
        <legend class="visually-hidden">{macros.the}</legend>
        {body}
      </fieldset>
    );
  // The content of the form is not stored yet.
  const unsaved = page.req.method === 'POST' ? { 'data-unsaved': '' } : {};
  return (
    <Form id="macro" action={action} csrf={page.csrf} {...unsaved}>
      {body}
      {isGood && (
        <p class="note" role="status">
          <Icon name="circle-check" /> {said.fine}
        </p>
      )}
      <div class="actions">
        <button class="button button-main" type="submit" name="do" value="save">
          {common.save}
        </button>
        <Ask form="#macro" action={action} value="check">
          {said.check}
        </Ask>
      </div>
    </Form>
  );
}

interface StepGiven extends FormGiven {
  readonly mayWrite: boolean;
  readonly step: StepRow;
  readonly index: number;
}

/** A change of these shows other fields. */
const showsOthers = /^(body|template_id)$/;

function Step({ action, draft, lookups, errors, mayWrite, step, index }: StepGiven): Html {
  const number = index + 1;
  const label = labelOf(step.type);
  const wrong = stepErrors(errors, index);
  const fields = fieldsOf(step, lookups);
  const stray = Object.entries(wrong).filter(([name]) => !fields.some((field) => field.name === name));
  const moves = [
    ...(index > 0 ? [{ value: `up:${step.key}`, text: said.up }] : []),
    ...(number < draft.steps.length ? [{ value: `down:${step.key}`, text: said.down }] : []),
    { value: `remove:${step.key}`, text: said.remove },
  ];
  const refreshes = asksOnChange('#macro', action);
  return (
    <li class="panel step" id={`step-${step.key}`} aria-label={said.named(number, label)}>
      <div class="step-head">
        <strong>{said.numbered(number, label)}</strong>
        {mayWrite && (
          <span class="step-buttons">
            {moves.map(({ value, text }) => (
              <Ask class="button button-small" form="#macro" action={action} value={value}>
                {text}
                <span class="visually-hidden">{said.of(number)}</span>
              </Ask>
            ))}
          </span>
        )}
      </div>
      <input type="hidden" name={`step-${step.key}-type`} value={step.type} />
      {stray.map(([name, messages]) => (
        <p class="field-error">
          {name === 'non_field_errors' ? '' : `${name.replaceAll('_', ' ')}: `}
          {messages.join(' ')}
        </p>
      ))}
      {fields.map((field) => {
        const name = `step-${step.key}-${field.name}`;
        const messages = wrong[field.name];
        return (
          <Field
            {...field}
            name={name}
            value={step.values[field.name]}
            errors={messages ? { [name]: messages } : {}}
            attributes={showsOthers.test(field.name) && mayWrite ? refreshes : {}}
          />
        );
      })}
    </li>
  );
}

function AddStep({ action }: Pick<FormGiven, 'action'>): Html {
  return (
    <div class="inline-form add-step">
      <label class="label" for="add-step">
        {said.add}
      </label>
      <select class="input" id="add-step" name="add">
        {Object.keys(stepForms).map((type) => (
          <option value={type}>{labelOf(type)}</option>
        ))}
      </select>
      <Ask form="#macro" action={action} value="add">
        <Icon name="plus" />
        {said.addThis}
      </Ask>
    </div>
  );
}

/** What the steps do; it follows what is typed, and touches no field. */
function Told({ action, draft, lookups, mayWrite }: FormGiven & { readonly mayWrite: boolean }): Html {
  const follows = mayWrite ? followsForm('#macro', action) : {};
  const told = draft.steps.map((step) => toldStep(step, lookups));
  return (
    <section id="told" aria-label={said.does} {...follows}>
      {told.length > 0 && (
        <>
          <h2>{said.does}</h2>
          <ol class="parked-steps">
            {told.map(({ text, says }) => (
              <li>
                {text}
                <Says text={says} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** Says what an edited step does, and what a customer would read of it; only its name while something is missing. */
function toldStep(edited: EditedStep, lookups: Lookups): StepText {
  const step = fromEdited(edited, lookups);
  const { type, params } = step;
  if (parseActions([step]) instanceof Fault) return { text: said.incomplete(labelOf(type)) };
  return describeStep(type, isPlainObject(params) ? params : {}, lookups);
}

/** Returns what is wrong with one step: `2: send_message: body: …` by field, and the rest by the name of none. */
function stepErrors(errors: FieldErrors | undefined, index: number): FieldErrors {
  const found: FieldErrors = {};
  for (const message of errors?.['actions'] ?? []) {
    const match = /^(\d+): (?:\w+: )?(?:(\w+): )?([\s\S]*)$/.exec(message);
    if (!match || Number(match[1]) !== index + 1) continue;
    (found[match[2] ?? 'non_field_errors'] ??= []).push(match[3] ?? '');
  }
  return found;
}

/** Returns what is wrong beyond single steps. */
function otherErrors(errors: FieldErrors | undefined): FieldErrors | undefined {
  if (!errors) return undefined;
  const { actions = [], ...rest } = errors;
  const general = actions.filter((message) => !/^\d+: /.test(message));
  return general.length > 0 ? { ...rest, steps: general } : rest;
}
