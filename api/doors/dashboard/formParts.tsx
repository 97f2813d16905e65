import type { Child } from 'hono/jsx';
import { randomToken } from '../../core/secrets';
import type { FormField } from './fieldViews';
import type { Html } from './html';
import { Field, Form } from './parts';

/** Values that a form sends along. */
export function Hidden({ values }: { readonly values: readonly (readonly [name: string, value: string])[] }): Html {
  return (
    <>
      {values.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** The key of a form that does its work once, however often it is sent. */
export function Once(): Html {
  return <Hidden values={[['once', randomToken(18)]]} />;
}

/** What fields were filled with, so that only what was changed is saved. */
export function Was({ was }: { readonly was: readonly (readonly [name: string, was: string])[] }): Html {
  return <Hidden values={was.map(([name, value]) => [`was.${name}`, value] as const)} />;
}

/** Fields of a form, each with a hidden copy of what it was filled with. */
export function FormFields({ fields }: { readonly fields: readonly FormField[] }): Html {
  return (
    <>
      {fields.map((field) => (
        <>
          <Field {...field} />
          <Was was={[[field.name, field.was]]} />
        </>
      ))}
    </>
  );
}

/**
 * Asks for a form anew, with what was changed in it. One goes after the other: the answer to an older one would take
 * back what a newer one has done.
 */
const asksAnew = (form: string, action: string): Readonly<Record<string, string>> => ({
  'hx-post': action,
  'hx-target': form,
  'hx-swap': 'morph:outerHTML',
  'hx-include': form,
  'hx-sync': `${form}:queue all`,
});

/** The same, as one of its fields was changed. */
export const asksOnChange = (form: string, action: string): Readonly<Record<string, string>> => ({
  ...asksAnew(form, action),
  'hx-trigger': 'change',
  'hx-vals': '{"do":"refresh"}',
});

interface AskGiven {
  readonly form: string;
  readonly action: string;
  /** What is to be done. */
  readonly value: string;
  readonly class?: string;
  readonly children: Child;
}

/** A button that does something with such a form, and asks for it anew. By its id it stays with its row. */
export function Ask({ form, action, value, class: look = 'button', children }: AskGiven): Html {
  return (
    <button
      class={look}
      id={`do-${value.replace(':', '-')}`}
      type="submit"
      name="do"
      value={value}
      formnovalidate
      {...asksAnew(form, action)}
    >
      {children}
    </button>
  );
}

/** A part of such a form that follows what is typed, and touches no field. */
export const followsForm = (form: string, action: string): Readonly<Record<string, string>> => ({
  'hx-post': action,
  'hx-trigger': 'input from:closest form delay:400ms',
  'hx-vals': '{"do":"refresh"}',
  'hx-target': 'this',
  'hx-select': '#told',
  'hx-swap': 'morph:outerHTML',
  'hx-sync': `${form}:abort`,
});

/** A form whose answer a script puts in or, with none, the browser shows as a page. */
export function Act({
  action,
  csrf,
  children,
  ...attributes
}: {
  readonly action: string;
  readonly csrf: string;
  readonly children: Child;
  readonly class?: string;
  readonly id?: string;
}): Html {
  return (
    <Form action={action} csrf={csrf} hx-post={action} hx-swap="none" {...attributes}>
      {children}
    </Form>
  );
}
