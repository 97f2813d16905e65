import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../../core/http/errors';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import type { FieldGiven } from '../fieldViews';
import { Hidden } from '../formParts';
import type { Html } from '../html';
import type { PageRequest } from '../page';
import { Field } from '../parts';
import { words } from '../words';
import type { InboxFilters } from './filters';
import type { ThreadView } from './load';
import { previewTemplate, templateFields, type TemplateField, type TemplatePreview } from './templates';

const { composer: said } = words;

type Values = Readonly<Record<string, string>>;

interface ChoiceGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  readonly templates: readonly TemplateItem[];
  readonly chosen: TemplateItem | undefined;
}

/** The choice of a template, which fetches its fields. */
export function TemplateChoice({ page, thread, filters, templates, chosen }: ChoiceGiven): Html {
  return (
    <form class="template-choice" method="get" action={thread.path}>
      <Hidden values={Object.entries(filters)} />
      <Hidden values={[['compose', 'template']]} />
      <label class="visually-hidden" for="template">
        {said.template.label}
      </label>
      <select
        class="input"
        id="template"
        name="template_id"
        hx-get={page.link(thread.path, { ...filters, compose: 'template', part: 'composer' })}
        hx-target="#composer"
        hx-swap="outerHTML"
        hx-trigger="change"
        hx-include="#send-later-menu"
      >
        <option value="">{said.template.choose}</option>
        {templates.map(({ template_id: id, name, language }) => (
          <option value={id} selected={id === chosen?.template_id}>
            {name.replaceAll('_', ' ')} · {language}
          </option>
        ))}
      </select>
      <button class="button button-small unscripted">{said.template.button}</button>
    </form>
  );
}

interface FieldsGiven {
  readonly templates: readonly TemplateItem[];
  readonly chosen: TemplateItem | undefined;
  /** What was typed, and why it was refused. */
  readonly values: Values;
  readonly errors: FieldErrors;
  /** What stands below them. */
  readonly children: Child;
}

/** The fields of the chosen template beside what the customer will see. */
export function TemplateFields({ templates, chosen, values, errors, children }: FieldsGiven): Html {
  if (templates.length === 0) return <p class="soft small">{said.template.none}</p>;
  return (
    <>
      {chosen && (
        <>
          <input type="hidden" name="template_id" value={chosen.template_id} />
          <div class="template-form">
            <div>
              {templateFields(chosen).map((field) => (
                <Field {...fieldOf(field, values, errors, chosen.template_id)} />
              ))}
            </div>
            <Preview template={previewTemplate(chosen.components, values)} />
          </div>
        </>
      )}
      {children}
    </>
  );
}

function fieldOf(
  { name, label, type, example }: TemplateField,
  values: Values,
  errors: FieldErrors,
  template: string,
): FieldGiven {
  const draft = { 'data-draft': `${template} ${name} ` };
  return {
    name,
    label,
    type,
    value: values[name],
    errors,
    required: true,
    attributes: { maxlength: 1024, placeholder: example, 'data-fills': name, ...draft, autocomplete: 'off' },
  };
}

/** A template as it is filled in: pieces of it show what is typed. */
function Preview({ template: { header, body, footer, buttons } }: { readonly template: TemplatePreview }): Html {
  const parts = [
    { style: 'is-strong', prefix: 'header', text: header },
    { style: '', prefix: 'body', text: body },
    { style: 'soft small', prefix: 'footer', text: footer },
  ];
  return (
    <div class="bubble is-mine template-preview" aria-label={said.template.preview} role="group">
      {parts
        .filter(({ text }) => text !== '')
        .map(({ style, prefix, text }) => (
          <p class={`bubble-text ${style}`}>
            {text.split(/(\{\{\s*\w+\s*\}\})/).map((piece) => {
              const name = /^\{\{\s*(\w+)/.exec(piece)?.[1];
              return name ? (
                <span class="placeholder" data-filled={`${prefix}.${name}`}>
                  {piece}
                </span>
              ) : (
                piece
              );
            })}
          </p>
        ))}
      {buttons.length > 0 && (
        <ul class="bubble-buttons">
          {buttons.map((label) => (
            <li>{label}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
