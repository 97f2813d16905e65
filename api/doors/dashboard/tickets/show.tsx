import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../../core/http/errors';
import { choiceField } from '../choices';
import { contactChoices } from '../contacts/choices';
import { peopleOptions, type FieldGiven } from '../fieldViews';
import { Filled } from '../filled';
import { FormFields, Hidden, Once, Was } from '../formParts';
import { Icon, type Html } from '../html';
import { memberNames } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { asking, Back, Errors, Field, Form, Tag } from '../parts';
import { words } from '../words';
import { ticketForm } from './form';
import { clocksOf, type Clock } from './labels';
import { Mentioning } from './mentions';
import { Property, propertyViews, type PropertyView } from './properties';
import { moveQuestion, readPipelines, ticketPath, ticketsPath, type Pipeline, type Ticket } from './read';
import { Contacts, Facts, factsOf, Related, TicketLink, type Shown } from './side';
import { streamPart } from './stream';

const { tickets: all } = words;
const { page: said } = all;

const clockStyles = { met: 'tag-good', missed: 'tag-bad', paused: '', running: 'tag-accent', ended: '' } as const;

/** Shows a ticket; `refused` names the form that was, with its errors. */
export async function showTicket(
  page: PageRequest,
  ticket: Ticket,
  refused = '',
  errors: FieldErrors = {},
): Promise<PageAnswer> {
  const pipelines = await readPipelines(page);
  const form = await ticketForm(page, ticket, pipelines, refused === 'edit' ? errors : {});
  const typed: Shown['typed'] = (name) =>
    name === refused ? { errors, values: page.form } : { errors: {}, values: {} };
  const shown: Shown = { page, ticket, pipelines, form, path: ticketPath(ticket.id), refused, typed };
  const [stream, addContact] = await Promise.all([
    streamPart(page, ticket, namesIn(shown), form.members),
    choiceField(page, contactChoices, {
      name: 'add',
      label: said.addAffected,
      refused: Object.values(typed('contacts').errors).flat(),
      required: true,
    }),
  ]);
  const [title = null, ...properties] = page.may('tickets.update') ? propertyViews(ticket, form, page.form) : [];
  const body = (
    <div class="work">
      <Head {...shown} title={title} />
      {page.may('tickets.escalate') && form.members.length > 0 && refused === 'escalate' && (
        <section class="panel" aria-labelledby="escalate">
          <h2 id="escalate">{all.escalate.title}</h2>
          <Escalation {...shown} />
        </section>
      )}
      <State {...shown} />
      <div class="split">
        <div>
          <Description {...shown} />
          <section class="panel" aria-labelledby="happened">
            <h2 id="happened">{all.stream.title}</h2>
            {stream}
            <NewComment {...shown} />
          </section>
        </div>
        <div>
          <section class="panel" aria-labelledby="fields">
            <h2 id="fields">{said.properties}</h2>
            {properties.length > 0
              ? properties.map((property) => <Property page={page} property={property} />)
              : factsOf(shown)}
          </section>
          <Contacts {...shown} addContact={addContact} />
          <Related {...shown} />
          <Facts {...shown} />
        </div>
      </div>
    </div>
  );
  return page.page(body, {
    title: `#${ticket.id} ${ticket.title}`,
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['choices.js', 'complete.js'],
    status: refused === '' ? 200 : 422,
  });
}

/** Returns what the ids in its activity stand for. */
function namesIn({ pipelines, form, ticket }: Shown): Readonly<Record<string, ReadonlyMap<unknown, string>>> {
  const people = memberNames(form.members);
  const named = (rows: readonly { readonly id: number; readonly name: string }[]): ReadonlyMap<unknown, string> =>
    new Map(rows.map(({ id, name }) => [id, name]));
  return {
    stage: named(pipelines.flatMap(({ stages }) => stages)),
    pipeline: named(pipelines),
    assigned_to: people,
    escalated_to: people,
    watcher_ids: people,
    affected_contact_ids: new Map(ticket.affected_contacts.map(({ id, name, phone }) => [id, name || phone])),
  };
}

function Head({ title, ...shown }: Shown & { readonly title: PropertyView | null }): Html {
  const { page, ticket, path, form, refused } = shown;
  const { id } = ticket;
  const watches = ticket.watchers.some((watcher) => watcher.id === page.member.id);
  const { deletion } = said;
  return (
    <div class="page-head">
      <Back href={page.link(ticketsPath, { pipeline: ticket.pipeline })} label={said.all} />
      {title ? (
        <>
          <h1>
            <span class="soft">#{id}</span> <span class="visually-hidden">{ticket.title}</span>
          </h1>
          <Property page={page} property={title} />
        </>
      ) : (
        <h1>
          <span class="soft">#{id}</span> {ticket.title}
        </h1>
      )}
      {stagesOf(shown).length === 0 && (
        <span class="tag">
          <span class="dot" data-color={ticket.stage_color}></span>
          {said.stageOf(ticket.pipeline_name, ticket.stage_name)}
        </span>
      )}
      {(page.may('tickets.update') || page.may('tickets.delete')) && (
        <>
          <button class="button-icon" type="button" popovertarget="more" title={said.more} aria-label={said.more}>
            <Icon name="ellipsis" />
          </button>
          <div class="menu" id="more" popover="auto">
            {page.may('tickets.update') && (
              <Form action={`${path}watch/`} csrf={page.csrf}>
                <Hidden values={[['watch', String(!watches)]]} />
                <button class="menu-item">
                  <Icon name="eye" />
                  {watches ? said.unwatch : said.watch}
                </button>
              </Form>
            )}
            {page.may('tickets.escalate') && form.members.length > 0 && refused !== 'escalate' && (
              <>
                <hr />
                <div class="menu-more">
                  <Escalation {...shown} />
                </div>
              </>
            )}
            {page.may('tickets.delete') && (
              <>
                <hr />
                <Form
                  action={`${path}delete/`}
                  csrf={page.csrf}
                  {...asking({ title: deletion.one(id), text: deletion.text, button: deletion.button })}
                >
                  <button class="menu-item">
                    <Icon name="trash" />
                    {said.delete}
                  </button>
                </Form>
              </>
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** The form that escalates a ticket. */
function Escalation({ page, path, form, typed }: Shown): Html {
  const { errors, values } = typed('escalate');
  const { escalate } = all;
  return (
    <Form action={`${path}escalate/`} csrf={page.csrf}>
      <Errors errors={errors} fields={['escalated_to', 'reason']} />
      <Field
        name="escalated_to"
        label={escalate.to}
        type="select"
        value={values['escalated_to']}
        errors={errors}
        options={[{ value: '', label: escalate.choose }, ...peopleOptions(form.members)]}
      />
      <Field name="reason" label={escalate.reason} type="textarea" rows={2} value={values['reason']} errors={errors} />
      <button class="button button-small">{escalate.button}</button>
    </Form>
  );
}

/** Returns the stages of its pipeline, for who may move it. */
function stagesOf({ page, ticket, pipelines }: Shown): Pipeline['stages'] {
  if (!page.may('tickets.update')) return [];
  return pipelines.find(({ id }) => id === ticket.pipeline)?.stages ?? [];
}

/** Where it stands: its stage, its deadlines, and what everybody should know first. */
function State(shown: Shown): Html {
  const { page, ticket, pipelines } = shown;
  const isClosed =
    pipelines.flatMap(({ stages }) => stages).find(({ id }) => id === ticket.stage)?.is_terminal ?? false;
  const clocks = clocksOf(page, ticket, isClosed);
  const { sla_breached: isLate, escalated_at: escalatedAt, duplicate_of: original } = ticket;
  return (
    <div id="ticket-head" data-follows={`ticket ${ticket.id}`}>
      <StageBar {...shown} />
      {clocks.length > 0 && (
        <p class="clocks" id="clocks">
          {clocks.map((clock) => (
            <ClockPart page={page} clock={clock} />
          ))}
        </p>
      )}
      {isLate && <Note style="note-bad">{said.missed}</Note>}
      {escalatedAt !== null && (
        <Note style="note-warn">{said.escalated(ticket.escalated_to_name, page.moment(escalatedAt))}</Note>
      )}
      {original !== null && (
        <Note style="">
          <Filled text={said.duplicate} parts={{ original: <TicketLink id={original} /> }} />
        </Note>
      )}
    </div>
  );
}

function Note({ style, children }: { readonly style: string; readonly children: Child }): Html {
  return (
    <div class={`note ${style}`}>
      <p>{children}</p>
    </div>
  );
}

function StageBar(shown: Shown): Html {
  const { page, ticket, path } = shown;
  const stages = stagesOf(shown);
  if (stages.length === 0) return <></>;
  return (
    <Form class="stage-bar" action={`${path}edit/`} csrf={page.csrf} aria-label={said.stages}>
      <Was was={[['stage', String(ticket.stage)]]} />
      <ol>
        {stages.map((stage) => {
          const { id, name, color } = stage;
          const dot = <span class="dot" data-color={color}></span>;
          if (id === ticket.stage)
            return (
              <li>
                <span class="stage-step" aria-current="step">
                  {dot}
                  {name}
                </span>
              </li>
            );
          const question = moveQuestion(ticket, stage);
          return (
            <li>
              <button
                class="stage-step"
                name="stage"
                value={id}
                title={question ? all.move.telling(name, question.text) : all.move.step(name)}
                {...(question ? asking(question) : {})}
              >
                {dot}
                {name} {question && <Icon name="send" label={question.text} />}
              </button>
            </li>
          );
        })}
      </ol>
    </Form>
  );
}

function ClockPart({ page, clock }: { readonly page: PageRequest; readonly clock: Clock }): Html {
  const { label, text, state, at } = clock;
  return (
    <span>
      <span class="soft">{label}</span> <Tag text={text} style={clockStyles[state]} />{' '}
      <span class="soft small">
        {all.clocks.until} {page.timePart(at, 'full')}
      </span>
    </span>
  );
}

function Description({ page, ticket: { description }, form, path }: Shown): Html {
  const mayEdit = page.may('tickets.update');
  if (mayEdit && (page.form['description'] ?? page.query['edit']) !== undefined)
    return (
      <Form class="panel" action={`${path}edit/`} csrf={page.csrf}>
        <h2>{said.description}</h2>
        <Errors errors={form.errors} fields={form.named} />
        <FormFields fields={form.main.filter(({ name }) => name !== 'title')} />
        <div class="actions">
          <button class="button button-main">{words.common.save}</button>
          <a class="button" href={path}>
            {words.common.cancel}
          </a>
        </div>
      </Form>
    );
  return (
    <section class="panel" aria-labelledby="text">
      <h2 id="text">{said.description}</h2>
      {description ? (
        <p class="pre" dir="auto">
          {description}
        </p>
      ) : (
        <p class="soft">{said.noDescription}</p>
      )}
      {mayEdit && (
        <p>
          <a class="button button-small" href={`${path}?edit=1`} data-key="e">
            <Icon name="pencil" />
            {said.editDescription}
          </a>
        </p>
      )}
    </section>
  );
}

function NewComment({ page, path, typed }: Shown): Html {
  const { comment } = all;
  const { errors, values } = typed('comments');
  const body: FieldGiven = {
    name: 'body',
    id: 'comment',
    label: comment.label,
    type: 'textarea',
    value: values['body'],
    errors,
    required: true,
    attributes: { 'data-key': 'c', 'data-sends': '', 'data-mentions': '', 'aria-autocomplete': 'list' },
  };
  if (!page.may('ticketComments.create')) return <></>;
  return (
    <Mentioning>
      <Form action={`${path}comments/`} csrf={page.csrf}>
        <Once />
        <Errors errors={errors} fields={['body']} />
        <Field {...body} />
        <Field
          name="answered"
          label={comment.answered}
          type="checkbox"
          hint={comment.hint}
          value={values['answered']}
        />
        <button class="button">{comment.button}</button>
      </Form>
    </Mentioning>
  );
}
