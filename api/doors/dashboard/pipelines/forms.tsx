import type { FieldErrors } from '../../../core/http/errors';
import { fieldOf, knownFields } from '../declaredForms';
import { filledWith } from '../forms';
import { Was } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { words } from '../words';
import {
  addressOf,
  pipelinesPath,
  placed,
  PlaceForm,
  readPipelines,
  stageAddress,
  type Pipeline,
  type Stage,
} from './list';
import { MappingFields, showMapping } from './mapping';
import { Head } from '../headParts';

const { common, pipelines: said } = words;

const statusOf = (errors: FieldErrors): number => (Object.keys(errors).length > 0 ? 422 : 200);

/** Answers with a pipeline, its stages and its form; null: a new one. */
export function pipelinePage(page: PageRequest, pipeline: Pipeline | null, errors: FieldErrors = {}): PageAnswer {
  const title = pipeline?.name ?? said.new;
  const body = (
    <div class="column">
      <Head title={title} back={{ href: pipelinesPath, label: said.all }}>
        {pipeline?.is_default && <span class="tag tag-accent">{said.default}</span>}
      </Head>
      {pipeline && <Stages page={page} pipeline={pipeline} />}
      {page.may('ticketPipelines.update') && <PipelineForm page={page} pipeline={pipeline} errors={errors} />}
    </div>
  );
  return page.page(body, { title, ...placed, status: statusOf(errors) });
}

function Stages({ page, pipeline }: { readonly page: PageRequest; readonly pipeline: Pipeline }): Html {
  return (
    <section class="panel" aria-labelledby="stages">
      <h2 id="stages">{said.stages.title}</h2>
      <ol class="plain stage-list">
        {pipeline.stages.map((stage, index) => (
          <StageLine page={page} pipeline={pipeline} stage={stage} index={index} />
        ))}
      </ol>
      {page.may('ticketStages.create') && (
        <a class="button button-small" href={stageAddress(pipeline, null)} data-key="n">
          <Icon name="plus" />
          {said.stages.add}
        </a>
      )}
    </section>
  );
}

interface StageGiven {
  readonly page: PageRequest;
  readonly pipeline: Pipeline;
  readonly stage: Stage;
  readonly index: number;
}

function StageLine({ page, pipeline, stage, index }: StageGiven): Html {
  const { name, color, ticket_count: tickets, notify_template_name: template } = stage;
  const path = stageAddress(pipeline, stage);
  const count = pipeline.stages.length;
  const mayChange = page.may('ticketPipelines.update');
  return (
    <li class="line">
      <span class="dot" data-color={color}></span>
      <div class="grow">
        {mayChange ? (
          <a class="row-link" href={path}>
            {name}
          </a>
        ) : (
          <strong>{name}</strong>
        )}{' '}
        <span class="soft small">{said.tickets(Number(tickets))}</span>{' '}
        {stage.is_terminal && <span class="tag tag-good">{said.stages.closes}</span>}{' '}
        {stage.pauses_sla && <span class="tag">{said.stages.pauses}</span>}{' '}
        {template && (
          <span class="tag tag-accent">
            <Icon name="send" />
            {template}
          </span>
        )}
      </div>
      {mayChange && (
        <>
          <PlaceForm name={name} action={`${path}place/`} csrf={page.csrf} index={index} count={count} />
          {count > 1 && (
            <a class="button-icon" href={`${path}delete/`}>
              <Icon name="trash" label={said.stages.remove(name)} />
            </a>
          )}
        </>
      )}
    </li>
  );
}

interface PipelineGiven {
  readonly page: PageRequest;
  readonly pipeline: Pipeline | null;
  readonly errors: FieldErrors;
}

function PipelineForm({ page, pipeline, errors }: PipelineGiven): Html {
  const action = pipeline ? addressOf(pipeline) : `${pipelinesPath}new/`;
  const { name, description } = pipeline ?? {};
  const values = { name, description, is_default: pipeline?.is_default, ...page.form };
  const declared = [
    { name: 'name' },
    { name: 'description', as: 'textarea' },
    // There is always a default: another takes its place, it is not taken away.
    { name: 'is_default', hidden: pipeline?.is_default ?? true },
  ] as const;
  const create = page.operations.get('ticketPipelines.create')?.body;
  const fields = knownFields(declared, create).map((field) => {
    const key = field.name as keyof typeof said.fields;
    return <Field {...fieldOf(field, said.fields[key], values[key], errors)} />;
  });
  return (
    <Form class="panel" action={action} csrf={page.csrf}>
      <Was was={filledWith(page, pipeline ? { name, description } : {})} />
      {pipeline && <h2>{said.settings}</h2>}
      <Errors errors={errors} fields={['name', 'description', ...(pipeline ? [] : ['stages'])]} />
      {fields}
      {!pipeline && (
        <Field
          name="stages"
          type="textarea"
          rows={5}
          value={page.form['stages'] ?? said.firstStages.usual}
          errors={errors}
          label={said.firstStages.label}
          hint={said.firstStages.hint}
        />
      )}
      <div class="actions">
        <button class="button button-main">{pipeline ? common.save : said.create}</button>
        {pipeline && !pipeline.is_default && page.may('ticketPipelines.delete') && (
          <a class="button" href={`${action}delete/`}>
            {said.remove}
          </a>
        )}
      </div>
    </Form>
  );
}

/** Answers with the form of a stage; null: a new one. */
export async function stagePage(
  page: PageRequest,
  pipeline: Pipeline,
  stage: Stage | null,
  errors: FieldErrors = {},
): Promise<PageAnswer> {
  const { form } = page;
  const mapping = await showMapping(page, pipeline, stage, errors);
  const isSent = form['name'] !== undefined;
  // An input for colours gives them in small letters.
  const stored = stage && {
    name: stage.name,
    color: stage.color.toLowerCase(),
    is_terminal: stage.is_terminal,
    pauses_sla: stage.pauses_sla,
    notification: mapping.was,
  };
  const title = stage ? said.stage.title(stage.name) : said.stage.new;
  const path = stageAddress(pipeline, stage);
  const back = addressOf(pipeline);
  const box = (name: 'is_terminal' | 'pauses_sla'): Html => (
    <Field
      name={name}
      label={said.stage[name]}
      type="checkbox"
      value={isSent ? form[name] : stage?.[name]}
      errors={errors}
    />
  );
  const body = (
    <div class="column">
      <Head title={title} back={{ href: back, label: said.stage.of(pipeline.name) }} />
      <Form class="panel" action={path} csrf={page.csrf}>
        <Was was={filledWith(page, stored ?? {})} />
        <Errors errors={errors} fields={['name', 'color', 'notify_template_id', 'notify_template_media_id']} />
        <Field
          name="name"
          label={said.stage.name}
          value={form['name'] ?? stage?.name}
          errors={errors}
          required
          attributes={{ maxlength: 255 }}
        />
        <Field
          name="color"
          label={said.stage.color}
          type="color"
          value={form['color'] ?? stage?.color ?? '#64748B'}
          errors={errors}
        />
        {box('is_terminal')}
        {box('pauses_sla')}
        <h2>{said.message.title}</h2>
        <p class="soft">{said.message.about}</p>
        <MappingFields mapping={mapping} errors={errors} path={path} />
        <div class="actions">
          <button class="button button-main">{stage ? common.save : said.stage.add}</button>
          <a class="button" href={back}>
            {common.cancel}
          </a>
        </div>
      </Form>
    </div>
  );
  return page.page(body, { title, ...placed, status: statusOf(errors) });
}

/** Asks where the tickets go before something is deleted. */
export async function deletePage(
  page: PageRequest,
  pipeline: Pipeline,
  stage: Stage | null,
  problem = '',
): Promise<PageAnswer> {
  const all = stage ? pipeline.stages : await readPipelines(page);
  const { id: own, name } = stage ?? pipeline;
  const held = stage ? [stage] : pipeline.stages;
  const count = held.reduce((sum, { ticket_count: tickets }) => sum + Number(tickets), 0);
  const asked = stage ? said.delete.stage : said.delete.pipeline;
  const back = addressOf(pipeline);
  const targets = [
    { value: '', label: count > 0 ? asked.choose : said.delete.none },
    ...all.filter(({ id }) => id !== own).map((one) => ({ value: one.id, label: one.name })),
  ];
  const body = (
    <div class="column">
      <h1>{asked.ask(name)}</h1>
      <Form class="panel" action={`${stage ? stageAddress(pipeline, stage) : back}delete/`} csrf={page.csrf}>
        {problem && (
          <div class="note note-bad" role="alert">
            <p>{problem}</p>
          </div>
        )}
        <p>
          {said.delete.text}
          {count > 0 && (
            <>
              {said.delete.holds}
              <strong>{said.tickets(count)}</strong>
              {said.delete.moved}
            </>
          )}
        </p>
        <Field name="move_to" label={said.delete.target} type="select" value={page.form['move_to']} options={targets} />
        <div class="actions">
          <a class="button" href={back}>
            {common.cancel}
          </a>
          <button class="button button-bad">{common.delete}</button>
        </div>
      </Form>
    </div>
  );
  return page.page(body, { title: said.delete.title(name), ...placed, status: problem === '' ? 200 : 409 });
}
