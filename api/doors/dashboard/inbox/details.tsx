import type { Child } from 'hono/jsx';
import { snoozeTimerStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import { answerDeadline } from '../../../services/resources/conversations/sla';
import { optOutForm } from '../contacts/marketing';
import { definitionsFor, formField, shownValue, tagsOf, type FieldDefinition, type Typed } from '../forms';
import { Act, FormFields, Hidden, Was } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { asking, Errors } from '../parts';
import { Face } from '../people';
import { words } from '../words';
import type { InboxFilters } from './filters';
import { withPlus, type ThreadView, type WireConversation } from './load';
import { customField } from './customField';
import { profileFields, writerOf } from './saveDetails';
import { ticketsSection } from './tickets';
import { loadUpcoming, Upcoming } from './upcoming';

const { details: said } = words;

interface DetailsGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  /** It takes the place of the one in the page. */
  readonly outOfBand?: boolean;
  /** A form of it that was refused, and why. */
  readonly form?: Readonly<Record<string, string>>;
  readonly errors?: FieldErrors;
}

/** Draws the panel beside a thread. */
export async function detailsPart(given: DetailsGiven): Promise<Html> {
  const { page, thread, filters, outOfBand, form = {}, errors = {} } = given;
  const { conversation, title, path } = thread;
  const [definitions, contact, tickets, promised, upcoming] = await Promise.all([
    definitionsFor(page, 'contacts', 'conversations'),
    // A field that applies to contacts only is not among the conversation's.
    page.callIfPermitted<Pick<WireConversation, 'custom_fields'>>(
      'contacts.get',
      { receiver_id: conversation.receiver_id },
      conversation,
    ),
    ticketsSection(page, conversation),
    answerDeadline(page.ctx, conversation.id),
    loadUpcoming(page, conversation.receiver_id, path),
  ]);
  const shown: Shown = {
    page,
    conversation,
    title,
    action: page.link(`${path}details/`, filters),
    typedIn: (name) => (form['form'] === name ? form : {}),
    errorsOf: (name) => (form['form'] === name ? errors : {}),
  };
  const known = { ...conversation.custom_fields, ...contact.custom_fields };
  return (
    <aside
      class="details"
      id="details"
      data-of={path}
      popover="auto"
      tabindex={-1}
      aria-label={said.label(title)}
      hx-swap-oob={outOfBand ? 'morph' : undefined}
    >
      <Who {...shown} />
      <Tags {...shown} />
      <Person {...shown} />
      <CustomFields {...shown} definitions={definitions} known={known} />
      {upcoming.length > 0 && (
        <section>
          <h3>{said.upcoming}</h3>
          <Upcoming page={page} upcoming={upcoming} />
        </section>
      )}
      <Facts {...shown} promised={promised} />
      {tickets}
      <section>
        <h3>{said.activity}</h3>
        <div id="activity">
          <a
            class="button button-small"
            href={page.link(`${path}activity/`, filters)}
            hx-get={page.link(`${path}activity/`, filters)}
            hx-target="#activity"
            hx-swap="outerHTML"
          >
            <Icon name="activity" />
            {said.showActivity}
          </a>
        </div>
      </section>
    </aside>
  );
}

/** What the sections of the panel are drawn of. */
interface Shown {
  readonly page: PageRequest;
  readonly conversation: WireConversation;
  readonly title: string;
  /** Where its forms go. */
  readonly action: string;
  /** What was typed into the form of that name, and why it was refused. */
  readonly typedIn: (name: FormName) => Typed['form'];
  readonly errorsOf: (name: FormName) => FieldErrors;
}

type FormName = 'tags' | 'profile' | 'fields' | 'opt_out';

interface FormGiven extends Pick<Shown, 'page' | 'action'> {
  readonly name: FormName;
  readonly children: Child;
}

/** A form of the panel: its answer is the panel. */
function PanelForm({ page, action, name, children, ...attributes }: FormGiven): Html {
  return (
    <Act action={action} csrf={page.csrf} hx-target="#details" hx-swap="morph:outerHTML" {...attributes}>
      <Hidden values={[['form', name]]} />
      {children}
    </Act>
  );
}

/** Without scripts a form is not sent by leaving its field. */
const SaveButton = (): Html => <button class="button button-small unscripted">{words.common.save}</button>;

function Pairs({ pairs }: { readonly pairs: readonly { readonly label: string; readonly text: string }[] }): Html {
  return (
    <dl class="pairs">
      {pairs.map(({ label, text }) => (
        <div>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Who({ title, conversation }: Shown): Html {
  const { phone_number: phone, username, marketing_opt_out: isOptedOut } = conversation;
  return (
    <section class="details-who">
      <Face id={conversation.contact_id} name={title} size="large" />
      <h2 dir="auto">{title}</h2>
      <p class="soft">
        {withPlus(phone)}
        {username && (
          <>
            <br />@{username}
          </>
        )}
      </p>
      {isOptedOut && (
        <p>
          <span class="tag tag-warn">
            <Icon name="bell-off" />
            {said.optedOut}
          </span>
        </p>
      )}
    </section>
  );
}

function Tags({ page, action, conversation, errorsOf }: Shown): Html {
  // Null when the tags are not a list of texts: such tags can be changed over the API only.
  const tags = tagsOf(conversation.tags);
  const text = tags?.join(', ') ?? '';
  return (
    <section>
      <h3>{said.tags.title}</h3>
      {!tags ? (
        <p class="soft small">{said.tags.unknown}</p>
      ) : page.may('conversations.update') ? (
        <PanelForm page={page} action={action} name="tags">
          <Was was={[['tags', text]]} />
          <Errors errors={errorsOf('tags')} />
          <label class="visually-hidden" for="tags">
            {said.tags.label}
          </label>
          <input
            class="input input-quiet"
            id="tags"
            name="tags"
            value={text}
            placeholder={said.tags.placeholder}
            autocomplete="off"
            maxlength={2000}
            data-key="l"
            data-submit=""
          />
          <SaveButton />
        </PanelForm>
      ) : (
        <p>
          {tags.map((tag) => (
            <>
              <span class="tag">{tag}</span>{' '}
            </>
          ))}
        </p>
      )}
    </section>
  );
}

function Person({ page, action, conversation, typedIn, errorsOf }: Shown): Html {
  const fields = profileFields.map((name) =>
    formField(
      { form: typedIn('profile') },
      {
        name,
        id: `person-${name}`,
        label: said.person[name],
        type: name === 'notes' ? 'textarea' : name === 'email' ? 'email' : 'text',
        attributes: { 'data-submit': '', autocomplete: 'off', placeholder: words.contacts.about.add },
      },
      conversation[name],
      errorsOf('profile'),
    ),
  );
  return (
    <section>
      <h3>{said.person.title}</h3>
      {page.may('contacts.update') ? (
        <PanelForm page={page} action={action} name="profile">
          <Errors errors={errorsOf('profile')} fields={profileFields} />
          <FormFields fields={fields} />
          <SaveButton />
        </PanelForm>
      ) : (
        <Pairs
          pairs={profileFields.flatMap((name) => {
            const text = conversation[name];
            return name === 'name' || !text ? [] : [{ label: said.person[name], text }];
          })}
        />
      )}
    </section>
  );
}

interface CustomGiven extends Shown {
  readonly definitions: readonly FieldDefinition[];
  readonly known: Readonly<Record<string, unknown>>;
}

function CustomFields({ page, action, definitions, known, typedIn, errorsOf }: CustomGiven): Html {
  const mayWrite = (definition: FieldDefinition): boolean => page.may(writerOf(definition));
  const [own, others] = [definitions.filter(mayWrite), definitions.filter((one) => !mayWrite(one))];
  if (definitions.length === 0) return <></>;
  return (
    <section>
      <h3>{said.fields.title}</h3>
      {own.length > 0 && (
        <PanelForm page={page} action={action} name="fields">
          <Errors errors={errorsOf('fields')} />
          <FormFields fields={own.map((one) => customField(typedIn('fields'), one, known[one.name]))} />
          <SaveButton />
        </PanelForm>
      )}
      {others.length > 0 && (
        <Pairs
          pairs={others.map(({ name, label }) => ({ label: label || name, text: shownValue(known[name]) || '–' }))}
        />
      )}
    </section>
  );
}

interface FactsGiven extends Shown {
  /** Until when an answer is promised; null: there is no promise, or it is kept. */
  readonly promised: Date | null;
}

function Facts({ page, action, conversation, title, promised }: FactsGiven): Html {
  const { first_message_at: first, conv_status: status, snoozed_until: until, ctwa_headline: ad } = conversation;
  const workflow = page.workflow(snoozeTimerStart(page.workspace.id, conversation.id));
  const optOut = optOutForm(conversation.marketing_opt_out, title);
  const ask = asking(optOut.ask);
  return (
    <section>
      <h3>{said.facts.title}</h3>
      <dl class="pairs">
        <div>
          <dt>{said.facts.first}</dt>
          <dd>{first ? page.timePart(first, 'full') : '–'}</dd>
        </div>
        {promised && (
          <div>
            <dt>{said.facts.answer}</dt>
            <dd class={conversation.sla_breached ? 'bad' : ''}>{page.timePart(promised, 'full')}</dd>
          </div>
        )}
        {status === 'snoozed' && (
          <div>
            <dt>{said.facts.snoozed}</dt>
            <dd>
              {page.timePart(until, 'full')}
              {workflow && (
                <>
                  <br />
                  <a class="small" href={workflow} target="_blank" rel="noreferrer">
                    {said.facts.timer} <Icon name="external-link" />
                  </a>
                </>
              )}
            </dd>
          </div>
        )}
        {ad && (
          <div>
            <dt>{said.facts.ad}</dt>
            <dd>{ad}</dd>
          </div>
        )}
      </dl>
      {page.may('contacts.update') && (
        <PanelForm page={page} action={action} name="opt_out" {...ask}>
          <Hidden values={[['marketing_opt_out', optOut.value]]} />
          <button class="button button-small">
            <Icon name="bell-off" />
            {optOut.button}
          </button>
        </PanelForm>
      )}
    </section>
  );
}
