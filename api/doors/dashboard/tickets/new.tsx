import { AppError, type FieldErrors } from '../../../core/http/errors';
import { ChoiceInput, FormFields, Once } from '../formParts';
import type { PageAnswer, PageRequest } from '../page';
import { Back, Errors, Form } from '../parts';
import { readPipelines } from '../pipelines/list';
import { words } from '../words';
import { ticketForm } from './form';
import { readTicketOf, ticketsPath } from './read';
import { titledBy } from './suggest';

const { tickets: said } = words;

/** Shows the form of a new ticket. */
export async function showNew(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const [pipelines, first] = await Promise.all([readPipelines(page), firstValues(page)]);
  const form = await ticketForm(page, null, pipelines, errors, page, first);
  const body = (
    <div class="column">
      <div class="page-head">
        <Back href={ticketsPath} label={said.page.all} />
        <h1>{said.new}</h1>
      </div>
      <Form class="panel" action={page.link(`${ticketsPath}new/`, page.query)} csrf={page.csrf}>
        <Once />
        <Errors errors={form.errors} fields={form.named} />
        <FormFields fields={form.main} />
        {form.customer && <ChoiceInput field={form.customer} />}
        <div class="pair">
          <FormFields fields={form.side} />
          <FormFields fields={form.custom} />
          {form.links.map((field) => (
            <ChoiceInput field={field} />
          ))}
        </div>
        <p class="hint">{said.form.hint}</p>
        <div class="actions">
          <button class="button button-main">{said.form.create}</button>
          <a class="button" href={ticketsPath}>
            {words.common.cancel}
          </a>
        </div>
      </Form>
    </div>
  );
  return page.page(body, {
    title: said.new,
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['choices.js'],
    status: Object.keys(errors).length > 0 ? 422 : 200,
  });
}

/**
 * Returns what a new ticket begins with: the customer of the ticket that it is to be a part of, and what the message
 * says that it is made from (`message`).
 */
async function firstValues(page: PageRequest): Promise<Readonly<Record<string, string | undefined>>> {
  const { parent_ticket: parent, receiver_id: receiver, message } = page.query;
  try {
    if (receiver !== undefined && message !== undefined) return await titledBy(page, receiver, message);
    if (receiver !== undefined || parent === undefined) return {};
    const { receiver_phone: handle } = await readTicketOf(page, parent.replace(/^#/, ''));
    return { receiver_id: handle?.replace(/^\+/, '') };
  } catch (error) {
    // What the address names is gone, or is no number: the form is empty there.
    if (error instanceof AppError && error.status < 500) return {};
    throw error;
  }
}
