import type { FieldErrors } from '../../../core/http/errors';
import { headerFileKind } from '../../../services/resources/templates/parameters';
import type { FieldGiven, Option } from '../fieldViews';
import { FileField, fileField } from '../fileField';
import { Icon, type Html } from '../html';
import { previewTemplate } from '../inbox/templates';
import { asText, type CustomField, type Json, type Named, type PhoneNumber, type Template } from '../lookups';
import type { PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { readSlots, writeSlots } from '../team/macroForm';
import { slotsOf, type Slot } from '../team/templateTexts';
import { words } from '../words';
import { AudienceFields, audienceOf, audienceValues, readAudience, type Values } from './audience';
import type { Broadcast } from './list';
import { Message, Preview, sendableOf, type Previewed } from './preview';
import { Once } from '../formParts';
import { valueWord } from '../valueWord';

const { draft: said } = words.broadcasts;

/** Returns the fields of the form from a stored broadcast. */
export function valuesOf(broadcast: Broadcast, timezone: string): Values {
  return {
    name: broadcast.name,
    template_id: broadcast.template_id,
    phone_number_id: broadcast.phone_number_id,
    header_media: broadcast.header_media?.id ?? '',
    ...audienceValues(audienceOf(broadcast), timezone),
    ...readSlots(broadcast.template_variables),
  };
}

/** What the form of a draft offers. */
interface DraftParts {
  readonly templates: readonly Template[];
  readonly numbers: readonly PhoneNumber[];
  readonly inboxes: readonly Named[];
  readonly fields: readonly CustomField[];
}

interface DraftGiven {
  readonly page: PageRequest;
  readonly parts: DraftParts;
  readonly own: string;
  /** The stored draft; null: it is a new one. */
  readonly broadcast: Broadcast | null;
  readonly values: Values;
  readonly errors: FieldErrors | undefined;
  readonly preview: Previewed;
}

const choose = (): Option => ({ value: '', label: said.choose });
const sources = (): readonly Option[] =>
  Object.entries(said.sources).map(([value, label]) => ({ value: value === 'none' ? '' : value, label }));

/** The form of a draft with its preview. A stored one saves itself with every change. */
export function Draft(given: DraftGiven): Html {
  const { page, own, broadcast, preview } = given;
  const savesItself = broadcast !== null && page.may('broadcasts.update');
  const saves = {
    'hx-post': own,
    'hx-trigger': 'change delay:250ms',
    'hx-target': '#draft',
    'hx-swap': 'morph:outerHTML',
    'hx-sync': 'this:queue last',
  };
  // The content of the form is not stored yet.
  const unsaved = page.form['do'] === 'refresh' ? { 'data-unsaved': '' } : {};
  return (
    <div class="split" id="draft">
      <Form id="draft-form" action={own} csrf={page.csrf} {...unsaved} {...(savesItself ? saves : {})}>
        <DraftFields {...given} />
      </Form>
      <aside class="split-side" aria-label={said.preview} aria-live="polite">
        <Preview preview={preview} />
        {sendableOf(preview) > 0 && page.may('broadcasts.confirm') && (
          <p>
            <a class="button button-main" href={`${own}confirm/`}>
              <Icon name="send" />
              {said.confirm}
            </a>
          </p>
        )}
      </aside>
    </div>
  );
}

function DraftFields(given: DraftGiven): Html {
  const { page, parts, broadcast, values, errors } = given;
  const { inboxes, fields } = parts;
  return (
    <>
      {!broadcast && <Once />}
      <Errors
        errors={errors}
        fields={['name', 'template_id', 'phone_number_id', 'audience', 'template_variables', 'header_media']}
      />
      <Field
        name="name"
        label={said.name}
        value={values['name']}
        errors={errors}
        required
        attributes={{ maxlength: 255 }}
        hint={said.nameHint}
      />
      <MessageFields {...given} />
      <AudienceFields
        page={page}
        broadcast={broadcast}
        values={values}
        inboxes={inboxes}
        fields={fields}
        isAgain={errors !== undefined || page.form['do'] === 'refresh'}
        error={(errors?.['audience'] ?? []).join(' ')}
      />
      {page.may(broadcast ? 'broadcasts.update' : 'broadcasts.create') && (
        <div class="actions">
          <button class={broadcast ? 'button' : 'button button-main'} type="submit">
            {broadcast ? said.save : said.saveNew}
          </button>
        </div>
      )}
    </>
  );
}

function MessageFields({ parts, own, broadcast, values, errors }: DraftGiven): Html {
  const { templates, numbers } = parts;
  const chosen = templates.find(({ template_id: id }) => id === values['template_id']);
  const message = chosen && previewTemplate(chosen.components, {});
  const { header_media: id, header_media_filename: filename } = values;
  const file = chosen ? fileField('header_media', chosen, { id, filename: asText(filename) }, errors) : null;
  // Of a new draft only the placeholders follow the template.
  const follows = {
    'hx-post': own,
    'hx-trigger': 'change',
    'hx-target': '#draft',
    'hx-swap': 'morph:outerHTML',
    'hx-include': '#draft-form',
    'hx-vals': '{"do":"refresh"}',
  };
  return (
    <section class="panel" aria-labelledby="draft-message">
      <h2 id="draft-message">{said.message}</h2>
      <Field
        name="template_id"
        label={said.template}
        type="select"
        value={values['template_id']}
        errors={errors}
        options={[
          choose(),
          ...templates.map(({ template_id: value, name, language, category }) => ({
            value,
            label: said.templateName(name, language, valueWord(category.toLowerCase())),
          })),
        ]}
        hint={templates.length === 0 ? said.noTemplate : ''}
        attributes={broadcast ? {} : follows}
      />
      {!broadcast && (
        <p class="unscripted">
          <button class="button button-small" type="submit" name="do" value="refresh" formnovalidate>
            {said.show}
          </button>
        </p>
      )}
      {numbers.length > 1 ? (
        <Field
          name="phone_number_id"
          label={said.number}
          type="select"
          value={values['phone_number_id']}
          errors={errors}
          options={[
            choose(),
            ...numbers.map(({ phone_number_id: value, display_phone_number: number, verified_name: name }) => ({
              value,
              label: `${number} ${name}`,
            })),
          ]}
        />
      ) : (
        <Refusal messages={errors?.['phone_number_id']} />
      )}
      {file && <FileField {...file} />}
      {message && (
        <figure class="sample">
          <figcaption class="soft small">{said.theTemplate}</figcaption>
          <Message says={message} below={message} />
        </figure>
      )}
      <Placeholders slots={chosen ? slotsOf(chosen) : []} values={values} errors={errors} />
    </section>
  );
}

function Refusal({ messages = [] }: { readonly messages?: readonly string[] | undefined }): Html {
  return messages.length > 0 ? <p class="field-error">{messages.join(' ')}</p> : <></>;
}

interface SlotsGiven extends Pick<DraftGiven, 'values' | 'errors'> {
  readonly slots: readonly Slot[];
}

/** Each placeholder as two fields: where its value comes from, and the text where it is one. */
function Placeholders({ slots, values, errors }: SlotsGiven): Html {
  const refusal = <Refusal messages={errors?.['template_variables']} />;
  if (slots.length === 0) return refusal;
  return (
    <fieldset class="group">
      <legend>{said.placeholders}</legend>
      {refusal}
      {slots.map((slot) => (
        <div class="pair">
          {slotFields(slot, values).map((field) => (
            <Field {...field} />
          ))}
        </div>
      ))}
    </fieldset>
  );
}

function slotFields({ component, name, number, around }: Slot, values: Values): readonly FieldGiven[] {
  const key = `${component}_${number}`;
  const label = component === 'header' ? said.inHeader(name) : said.inBody(name);
  return [
    {
      name: `${key}_source`,
      label,
      type: 'select',
      options: sources(),
      value: values[`${key}_source`],
      hint: around,
    },
    {
      name: `${key}_value`,
      label: said.textFor(label),
      value: values[`${key}_value`],
      attributes: { maxlength: 512 },
    },
  ];
}

/** Returns the fields as they were sent, to be shown again. */
export function valuesSent(page: PageRequest): Values {
  return { ...page.form, conv_status: page.all('conv_status') };
}

/**
 * Returns the fields of a draft that saved itself: its audience as it is stored now, but for the filters that wait in
 * the form while it is for everybody.
 */
export function valuesSaved(page: PageRequest, saved: Broadcast): Values {
  const stored = audienceValues(audienceOf(saved), page.workspace.timezone);
  const sent = valuesSent(page);
  if (stored['everybody'] === 'all') return { ...sent, everybody: 'all' };
  return { ...Object.fromEntries(Object.entries(sent).filter(([name]) => !name.startsWith('custom_'))), ...stored };
}

/** Returns what the operation takes from the fields of the form. */
export function inputOf(
  page: PageRequest,
  stored: Broadcast | null,
  templates: readonly Template[],
  fields: readonly CustomField[],
): Json {
  const { form } = page;
  const template = templates.find((candidate) => candidate.template_id === form['template_id']);
  return {
    name: form['name'] ?? '',
    template_id: form['template_id'] ?? '',
    ...(form['phone_number_id'] ? { phone_number_id: form['phone_number_id'] } : {}),
    audience: readAudience(page, audienceOf(stored), fields),
    header_media: template && headerFileKind(template) && form['header_media'] ? { id: form['header_media'] } : null,
    template_variables: (template ? writeSlots(slotsOf(template), form).template_variables : undefined) ?? {},
  };
}
