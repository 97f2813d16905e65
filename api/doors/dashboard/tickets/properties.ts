import type { FieldErrors } from '../../../core/http/errors';
import type { FormField } from '../forms';
import type { PageAnswer, PageRequest, Toast } from '../page';
import { ticketForm, type TicketForm } from './form';
import { ticketPath, type WirePipeline, type WireTicket } from './wire';

/** A property of a ticket: a form of one field, which saves itself. */
export interface PropertyView {
  /** Its id in the page; `id` would be handed on to the template of the field. */
  readonly place: string;
  readonly action: string;
  readonly field: FormField;
  /** What was refused beyond the field. */
  readonly errors: FieldErrors;
  /** It is sent as a part of the page; else the page that follows has other stages. */
  readonly isPart: boolean;
  /** A date says that it changed with every digit, so that it has a button. */
  readonly hasButton: boolean;
}

/** Builds the properties of a ticket from its form; `sent` are the fields of the one that was sent. */
export function propertyViews({ id }: WireTicket, form: TicketForm, sent: PageRequest['form']): PropertyView[] {
  const { side, custom, errors } = form;
  return [...side, ...custom].map(({ hint, ...field }) => {
    const hasButton = field.type === 'date' || field.type === 'datetime-local';
    return {
      place: `property-${field.name.replace(/\W/g, '-')}`,
      action: `${ticketPath(id)}edit/`,
      field: {
        ...field,
        attributes: {
          ...field.attributes,
          ...(hint === undefined ? {} : { title: hint }),
          ...(hasButton ? {} : { 'data-submit': '' }),
        },
      },
      errors: isSent(sent, field.name) ? errors : {},
      isPart: field.name !== 'pipeline',
      hasButton,
    };
  });
}

/** The copy of what a field was filled with says whose form was sent. */
function isSent(sent: PageRequest['form'], name: string): boolean {
  return sent[`was.${name}`] !== undefined;
}

/** Answers a property that was sent as a part of the page: with itself, as it is now or with why it was refused. */
export async function answerProperty(
  page: PageRequest,
  ticket: WireTicket,
  errors: FieldErrors,
  toast?: Toast,
): Promise<PageAnswer> {
  const isRefused = Object.keys(errors).length > 0;
  const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
  // What is saved is shown as it is stored.
  const form = await ticketForm(page, ticket, pipelines, errors, isRefused ? page : { form: {}, all: () => [] });
  const property = propertyViews(ticket, form, page.form).find(({ field }) => isSent(page.form, field.name));
  if (!property) return page.redirect(ticketPath(ticket.id));
  return page.part('/tickets/property', property, { status: isRefused ? 422 : 200, ...(toast ? { toast } : {}) });
}
