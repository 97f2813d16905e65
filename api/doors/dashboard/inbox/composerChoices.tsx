import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../../core/http/errors';
import type { Html } from '../html';
import { Field } from '../parts';
import { words } from '../words';

const { choices: said } = words.composer;

const mostButtons = 3;

interface ChoicesGiven {
  /** What was typed, and why it was refused. */
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
  /** What stands below them. */
  readonly children: Child;
}

const draft = (name: string): Readonly<Record<string, string>> => ({ 'data-draft': `choices ${name} ` });

/** A question whose answers are tapped: as buttons or, where there are more, as a list. */
export function ChoiceFields({ values, errors, children }: ChoicesGiven): Html {
  return (
    <>
      <div class="choices-form">
        <Field
          name="body"
          id="choices-body"
          label={said.body}
          type="textarea"
          value={values['body']}
          errors={errors}
          required
          rows={2}
          attributes={{ maxlength: 1024, ...draft('body') }}
        />
        <Field
          name="choices"
          label={said.lines}
          hint={said.hint(mostButtons)}
          type="textarea"
          value={values['choices']}
          errors={errors}
          required
          attributes={draft('lines')}
        />
        <Field
          name="button"
          label={said.button}
          value={values['button']}
          errors={errors}
          optional
          attributes={{ maxlength: 20, placeholder: said.open, ...draft('button') }}
        />
      </div>
      {children}
    </>
  );
}
