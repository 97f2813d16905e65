import type { FieldErrors } from '../../../core/http/errors';
import { ChoiceInput } from '../choiceParts';
import { FormFields } from '../formParts';
import type { ChoiceField } from '../choiceParts';
import type { FormField } from '../fieldViews';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest, Toast } from '../page';
import { Errors, Form } from '../parts';
import { words } from '../words';
import { ticketForm, type TicketForm } from './form';
import { readPipelines, ticketPath, type Ticket } from './read';

/** A property of a ticket: a form of one field, which saves itself. */
export interface PropertyView {
  /** Its id in the page; `id` would be handed on to the field. */
  readonly place: string;
  readonly action: string;
  readonly name: string;
  /** The field; none where another ticket is chosen. */
  readonly fields: readonly FormField[];
  readonly choice: ChoiceField | null;
  /** What was refused beyond the field. */
  readonly errors: FieldErrors;
  /** It is sent as a part of the page; else the page that follows has other stages, or the title in other places. */
  readonly isPart: boolean;
  /** A date says that it changed with every digit, so that it has a button. */
  readonly hasButton: boolean;
}

/** Builds the properties of a ticket from its form, the title first; `sent` are the fields of the one that was sent. */
export function propertyViews({ id }: Ticket, form: TicketForm, sent: PageRequest['form']): PropertyView[] {
  const { main, side, links, custom, errors } = form;
  const view = (name: string, shown: Pick<PropertyView, 'fields' | 'choice'>, hasButton = false): PropertyView => ({
    place: `property-${name.replace(/\W/g, '-')}`,
    action: `${ticketPath(id)}edit/`,
    name,
    ...shown,
    errors: isSent(sent, name) ? errors : {},
    isPart: name !== 'pipeline' && name !== 'title',
    hasButton,
  });
  const ofField = ({ hint, ...field }: FormField): PropertyView => {
    const hasButton = field.type === 'date' || field.type === 'datetime-local';
    const attributes = {
      ...(field.type === 'select' ? {} : { placeholder: words.tickets.fields.add }),
      ...field.attributes,
      ...(hint === undefined ? {} : { title: hint }),
      ...(hasButton ? {} : { 'data-submit': '' }),
    };
    return view(field.name, { fields: [{ ...field, attributes }], choice: null }, hasButton);
  };
  const titles = main.filter(({ name }) => name === 'title');
  return [
    ...titles.map((field) =>
      ofField({ ...field, type: 'textarea', rows: 1, attributes: { ...field.attributes, 'data-sends': '' } }),
    ),
    ...side.map(ofField),
    ...links.map((choice) => {
      const attributes = { ...choice.field.attributes, placeholder: words.tickets.fields.add };
      return view(choice.name, { fields: [], choice: { ...choice, field: { ...choice.field, attributes } } });
    }),
    ...custom.map(ofField),
  ];
}

/** The copy of what a field was filled with says whose form was sent. */
function isSent(sent: PageRequest['form'], name: string): boolean {
  return sent[`was.${name}`] !== undefined;
}

interface PropertyGiven {
  readonly page: PageRequest;
  readonly property: PropertyView;
}

/** A property of a ticket. */
export function Property({ page, property }: PropertyGiven): Html {
  const { place, action, name, fields, choice, errors, isPart, hasButton } = property;
  const sent = isPart
    ? { 'hx-post': action, 'hx-target': 'this', 'hx-swap': 'morph:outerHTML', 'hx-sync': 'this:replace' }
    : {};
  return (
    <Form class="property" id={place} action={action} csrf={page.csrf} {...sent}>
      <Errors errors={errors} fields={[name]} />
      {choice ? <ChoiceInput field={choice} /> : <FormFields fields={fields} />}
      <button
        class={hasButton ? 'button-icon property-save' : 'button button-small unscripted'}
        title={words.common.save}
      >
        {hasButton ? <Icon name="check" label={words.common.save} /> : words.common.save}
      </button>
    </Form>
  );
}

/** Answers a property that was sent as a part of the page: with itself, as it is now or with why it was refused. */
export async function answerProperty(
  page: PageRequest,
  ticket: Ticket,
  errors: FieldErrors,
  toast?: Toast,
): Promise<PageAnswer> {
  const isRefused = Object.keys(errors).length > 0;
  // What is saved is shown as it is stored.
  const typed = isRefused ? page : { form: {}, all: () => [] };
  const form = await ticketForm(page, ticket, await readPipelines(page), errors, typed);
  const property = propertyViews(ticket, form, page.form).find(({ name }) => isSent(page.form, name));
  if (!property) return page.redirect(ticketPath(ticket.id));
  const status = isRefused ? 422 : 200;
  return page.part(<Property page={page} property={property} />, { status, ...(toast ? { toast } : {}) });
}
