import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../../core/http/errors';
import { optionsOf, sentence as capital, type FieldGiven, type Option } from '../fieldViews';
import { Ask, asksOnChange } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { Checks, Errors, Field, Form } from '../parts';
import { words } from '../words';
import { endOptions, fieldOptions, operatorOptions, startOptions, valueKindOf } from './choices';
import { takesList, takesNothing, type Draft, type DraftCondition } from './draft';
import { Result, type Rehearsal } from './rehearsal';
import { macroOption, starterOf } from './starters';
import { Told, type ToldGiven } from './told';

const { common, rules } = words;
const { form: said } = rules;

interface EditorGiven extends ToldGiven {
  readonly page: PageRequest;
  readonly errors: FieldErrors | undefined;
  readonly isNew: boolean;
  /** What it would have done as it stands in the form. */
  readonly result: Rehearsal | undefined;
}

/** Asks for the form anew, with what fits what was chosen. */
const onChange = (action: string): Readonly<Record<string, string>> =>
  action === '' ? {} : asksOnChange('#rule', action);

/** The form of a rule: each part of its sentence is chosen. */
export function RuleForm(asked: EditorGiven): Html {
  const { page, draft, choices, errors, isNew, result } = asked;
  const mayWrite = page.may(isNew ? 'rules.create' : 'rules.update');
  // Who may not write is shown no control that would.
  const action = mayWrite ? asked.action : '';
  const given = { ...asked, action };
  const fields = ['name', 'description', 'on', 'conditions', 'wait', 'unless', 'macro_id', 'repeat', 'autonomy'];
  const body = (
    <>
      <Errors errors={errors} fields={fields} />
      <Told {...given} mayWrite={mayWrite} />
      <Field
        name="name"
        label={said.name}
        value={draft.name}
        errors={errors}
        required
        attributes={{ maxlength: 255 }}
      />
      <Field
        name="description"
        label={said.description}
        type="textarea"
        value={draft.description}
        errors={errors}
        optional
        attributes={{ rows: 2, maxlength: 2_000 }}
      />
      <Part title={said.when} error={errors?.['on']}>
        {draft.on.map((start, index) => (
          <Start {...given} start={start} index={index} />
        ))}
        {mayWrite && draft.on.length < 5 && <Verb action={action} value="add_on" text={said.addWhen} />}
      </Part>
      <Part title={said.if} error={others(errors?.['conditions'])}>
        {draft.conditions.length === 0 && <p class="soft small">{said.ifNone}</p>}
        {draft.conditions.map((condition, index) => (
          <Condition {...given} condition={condition} index={index} />
        ))}
        {mayWrite && draft.conditions.length < 20 && <Verb action={action} value="add_if" text={said.addIf} />}
      </Part>
      <Wait {...given} />
      {draft.waitKind !== 'none' && (
        <Checks
          name="unless"
          legend={said.unless}
          options={endOptions(choices)}
          values={draft.unless}
          errors={errors}
        />
      )}
      <Act {...given} />
      {mayWrite && (
        <div class="actions">
          <button class="button button-main" type="submit" name="do" value="save">
            {isNew ? said.create : said.save}
          </button>{' '}
          {page.may('rules.rehearse') && (
            <Ask form="#rule" action={action} value="rehearse">
              {said.rehearse}
            </Ask>
          )}
          <button class="button unscripted" type="submit" name="do" value="refresh" formnovalidate>
            {said.refresh}
          </button>
          <a class="button" href="/dashboard/rules/">
            {common.cancel}
          </a>
        </div>
      )}
      {result && <Result page={page} result={result} />}
    </>
  );
  if (!mayWrite)
    return (
      <fieldset class="bare" id="rule" disabled>
        <legend class="visually-hidden">{rules.tabs.rule}</legend>
        {body}
      </fieldset>
    );
  const unsaved = page.req.method === 'POST' ? { 'data-unsaved': '' } : {};
  return (
    <Form id="rule" class="panel rule-form" action={action} csrf={page.csrf} {...unsaved}>
      {body}
    </Form>
  );
}

function Part({
  title,
  error,
  children,
}: {
  title: string;
  error?: readonly string[] | undefined;
  children: Child;
}): Html {
  return (
    <fieldset class="rule-part">
      <legend class="label">{title}</legend>
      {error && error.length > 0 && <p class="field-error">{error.map(capital).join(' ')}</p>}
      {children}
    </fieldset>
  );
}

/** A button that changes the form and saves nothing. */
function Verb({
  action,
  value,
  text,
}: {
  readonly action: string;
  readonly value: string;
  readonly text: string;
}): Html {
  return (
    <Ask class="button button-small" form="#rule" action={action} value={value}>
      <Icon name="plus" />
      {text}
    </Ask>
  );
}

function Remove({
  action,
  value,
  what,
}: {
  readonly action: string;
  readonly value: string;
  readonly what: string;
}): Html {
  if (action === '') return <></>;
  return (
    <Ask class="button-icon" form="#rule" action={action} value={value}>
      <Icon name="x" label={`${said.remove}: ${what}`} />
    </Ask>
  );
}

interface StartGiven extends EditorGiven {
  readonly start: Draft['on'][number];
  readonly index: number;
}

function Start({ action, draft, choices, start: { key, what, to }, index }: StartGiven): Html {
  const name = `on-${key}`;
  const changed = /^conversation\.updated:(.+)$/.exec(what)?.[1];
  const kind = changed === undefined ? null : valueKindOf(changed, choices);
  return (
    <div class="rule-row" id={name}>
      <Field
        name={`${name}-what`}
        label={said.when}
        type="select"
        options={startOptions(choices)}
        value={what}
        attributes={onChange(action)}
      />
      <input type="hidden" name={`${name}-was`} value={what} />
      {kind && (
        <Field
          name={`${name}-to`}
          label={said.to}
          value={to}
          {...(kind.options.length > 0
            ? { type: 'select', options: [{ value: '', label: rules.anyValue }, ...kind.options] }
            : { attributes: { placeholder: rules.anyValue } })}
        />
      )}
      {draft.on.length > 1 && <Remove action={action} value={`drop_on:${key}`} what={said.start(index + 1)} />}
    </div>
  );
}

interface ConditionGiven extends EditorGiven {
  readonly condition: DraftCondition;
  readonly index: number;
}

function Condition({ action, choices, condition, index, draft, errors }: ConditionGiven): Html {
  const { key, group, field, op } = condition;
  const name = `if-${key}`;
  const place = draft.conditions.slice(0, index).filter((one) => one.group === group).length;
  const wrong = (errors?.['conditions'] ?? [])
    .filter((message) => message.startsWith(`${group}.${place}.`))
    .map((message) => message.replace(/^\w+\.\d+\.(?:\w+: )?/, ''));
  const values = !takesNothing(op) && (
    <Values choices={choices} condition={condition} name={`${name}-value`} wrong={wrong} />
  );
  const remove = <Remove action={action} value={`drop_if:${key}`} what={said.condition(index + 1)} />;
  // Boxes stand below what they are compared by.
  const isLong = takesList(op) && valueKindOf(field, choices).options.length > 0;
  return (
    <div class="rule-row" id={name}>
      {draft.conditions.length > 1 && (
        <Field name={`${name}-group`} label={said.group} type="select" options={named(said.groups)} value={group} />
      )}
      <Field
        name={`${name}-field`}
        label={said.field}
        type="select"
        options={fieldOptions(choices)}
        value={field}
        attributes={onChange(action)}
      />
      <input type="hidden" name={`${name}-was`} value={field} />
      <Field
        name={`${name}-op`}
        label={said.op}
        type="select"
        options={operatorOptions(field, choices)}
        value={op}
        attributes={onChange(action)}
      />
      {isLong ? [remove, values] : [values, remove]}
    </div>
  );
}

interface ValuesGiven extends Pick<ConditionGiven, 'choices' | 'condition'> {
  readonly name: string;
  readonly wrong: readonly string[];
}

function Values({ choices, condition: { field, op, values }, name, wrong }: ValuesGiven): Html {
  const { options, is } = valueKindOf(field, choices);
  const errors = wrong.length > 0 ? { [name]: [...wrong] } : undefined;
  if (options.length > 0 && takesList(op))
    return <Checks name={name} legend={said.value} options={options} values={values} errors={errors} />;
  const given: FieldGiven & { readonly label: string } = { name, label: said.value, errors };
  if (options.length > 0)
    return <Field {...given} type="select" options={options} value={values[0] ?? String(options[0]?.value ?? '')} />;
  if (takesList(op)) return <Field {...given} value={values.join(', ')} hint={said.list} />;
  const [value = ''] = values;
  return <Field {...given} type={is === 'number' || is === 'date' ? is : 'text'} value={value} />;
}

function Wait({ action, draft, errors }: EditorGiven): Html {
  const { waitKind, amount } = draft;
  const wrong = errors?.['wait'];
  const isMissing = waitKind !== 'opening' && amount.trim() === '';
  return (
    <Part title={said.after} error={wrong && isMissing ? [said.needsAmount] : wrong}>
      <div class="rule-row">
        <Field
          name="wait-kind"
          label={said.wait}
          type="select"
          options={named(said.waitKinds)}
          value={waitKind}
          attributes={onChange(action)}
        />
        {waitKind !== 'none' && (
          <>
            <Field
              name="wait-amount"
              label={waitKind === 'opening' ? said.more : said.amount}
              type="number"
              value={amount}
              attributes={{ min: waitKind === 'opening' ? 0 : 1, max: 129_600 }}
            />
            <Field name="wait-unit" label={said.unit} type="select" options={named(said.units)} value={draft.unit} />
          </>
        )}
      </div>
    </Part>
  );
}

function Act({ page, draft, choices, errors }: EditorGiven): Html {
  const own = choices.macros.map(({ id, name }) => ({ value: id, label: name }));
  const starter = starterOf(page.workspace, draft.macro);
  const taken = starter ? [macroOption(starter)] : [];
  const isOpen = draft.repeat !== '' || draft.autonomy !== 'autonomous' || draft.afterRules;
  return (
    <>
      <Part title={said.then}>
        <div class="rule-row">
          <Field
            name="macro_id"
            label={said.macro}
            type="select"
            options={[{ value: '', label: said.chooseMacro }, ...taken, ...own]}
            value={draft.macro}
            errors={errors}
            hint={said.macroHint}
          />
        </div>
        {page.may('macros.create') && (
          <p class="small rule-links">
            <a href="/dashboard/macros/new/">{said.newMacro}</a>
            {own.some(({ value }) => String(value) === draft.macro) && (
              <a href={`/dashboard/macros/${draft.macro}/`}>{said.changeMacro}</a>
            )}
          </p>
        )}
      </Part>
      <details class="rule-more" open={isOpen}>
        <summary>{said.options}</summary>
        <Field
          name="repeat"
          label={said.repeat}
          type="select"
          options={[{ value: '', label: said.repeatAuto }, ...named(said.repeats)]}
          value={draft.repeat}
          errors={errors}
        />
        <Field
          name="autonomy"
          label={said.autonomy}
          type="select"
          options={named(said.autonomies)}
          value={draft.autonomy}
          errors={errors}
        />
        <Field name="after_rules" label={said.after_rules} type="checkbox" value={draft.afterRules} />
      </details>
    </>
  );
}

const named = (all: Readonly<Record<string, string>>): Option[] => optionsOf(Object.entries(all));

/** What is wrong with the conditions as a whole: of one of them its row says it. */
const others = (messages: readonly string[] = []): readonly string[] =>
  messages.filter((message) => !/^(all|any)\.\d+\./.test(message));
