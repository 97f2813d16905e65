import { AppError, notFound, type FieldErrors } from '../../../core/http/errors';
import { amountText } from '../formats';
import { changedChecks, changedFields, filledWith } from '../forms';
import { definePages, type PageAnswer, type PageRequest, type PageRoute } from '../page';
import { withoutTicketing } from './board';
import { changedNotification, showMapping } from './mapping';
import { pipelinesPath, ticketsPath, type WirePipeline, type WireStage } from './wire';

const one = `${pipelinesPath}:id/`;
const stagePath = `${one}stages/:stage_id/`;
const addressOf = (pipeline: { readonly id: number }): string => `${pipelinesPath}${pipeline.id}/`;
const page_ = { place: 'pipelines', styles: ['desk.css'] } as const;

/** The buttons that move one of several up and down. */
interface PlaceView {
  readonly name: string;
  readonly action: string;
  readonly up: { readonly position: number; readonly isOff: boolean };
  readonly down: { readonly position: number; readonly isOff: boolean };
}

function placeView(name: string, path: string, index: number, count: number): PlaceView {
  return {
    name,
    action: `${path}place/`,
    up: { position: index - 1, isOff: index === 0 },
    down: { position: index + 1, isOff: index === count - 1 },
  };
}

/** A pipeline as the list shows it. */
interface PipelineView extends Pick<WirePipeline, 'id' | 'name' | 'description' | 'is_default'> {
  readonly stages: readonly StageView[];
  readonly path: string;
  readonly board: string;
  /** Null: it is the only one. */
  readonly place: PlaceView | null;
}

function pipelineView(pipeline: WirePipeline, index: number, count: number): PipelineView {
  const { id, name, description, is_default, stages } = pipeline;
  const path = addressOf(pipeline);
  return {
    id,
    name,
    description,
    is_default,
    stages: stages.map((stage, at) => stageView(pipeline, stage, at)),
    path,
    board: `${ticketsPath}?pipeline=${id}`,
    place: count > 1 ? placeView(name, path, index, count) : null,
  };
}

/** A stage as the lists show it. */
interface StageView extends Pick<WireStage, 'name' | 'color' | 'is_terminal' | 'pauses_sla' | 'ticket_count'> {
  /** The template that it sends; empty: none. */
  readonly sends: string;
  readonly tickets: string;
  readonly path: string;
  readonly place: PlaceView;
  /** Null: it is the only one. */
  readonly remove: { readonly href: string; readonly label: string } | null;
}

function stageView(pipeline: WirePipeline, stage: WireStage, index: number): StageView {
  const { name, color, is_terminal, pauses_sla, ticket_count } = stage;
  const path = stageAddress(pipeline, stage);
  const { length } = pipeline.stages;
  return {
    name,
    color,
    is_terminal,
    pauses_sla,
    ticket_count,
    sends: stage.notify_template_name ?? '',
    tickets: amountText(Number(ticket_count), 'ticket'),
    path,
    place: placeView(name, path, index, length),
    remove: length > 1 ? { href: `${path}delete/`, label: `Delete ${name}` } : null,
  };
}

function get(
  path: string,
  scope: 'ticket.view' | 'ticket.manage',
  run: (page: PageRequest) => Promise<PageAnswer>,
): PageRoute {
  return { method: 'GET', path, scope, run: async (page) => withoutTicketing(page, 'pipelines') ?? run(page) };
}

function post(path: string, run: (page: PageRequest) => Promise<PageAnswer>): PageRoute {
  return { method: 'POST', path, scope: 'ticket.manage', run };
}

/** Pipelines and their stages, with what a stage sends. */
export const pipelinePages = definePages([
  get(pipelinesPath, 'ticket.view', async (page) => {
    const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
    const data = { pipelines: pipelines.map((pipeline, index) => pipelineView(pipeline, index, pipelines.length)) };
    return page.page('/pipelines/list', data, { title: 'Pipelines', ...page_ });
  }),
  get(`${pipelinesPath}new/`, 'ticket.manage', async (page) => showPipelineForm(page, null)),
  post(`${pipelinesPath}new/`, async (page) => {
    const { name, description } = page.form;
    const names = (page.form['stages'] ?? '').split('\n').map((line) => line.trim());
    const stages = names.filter(Boolean).map((stage, index, all) => ({
      name: stage,
      // The last one closes its tickets, as in every pipeline that ends.
      is_terminal: all.length > 1 && index === all.length - 1,
    }));
    const saved = await page.attempt(() =>
      page.call<WirePipeline>('ticketPipelines.create', {
        name,
        description,
        ...(stages.length > 0 ? { stages } : {}),
      }),
    );
    if ('errors' in saved) return showPipelineForm(page, null, saved.errors);
    return page.redirect(addressOf(saved.value), { text: 'The pipeline is created.' });
  }),
  get(one, 'ticket.view', async (page) => showPipelineForm(page, await readPipeline(page))),
  post(one, async (page) => {
    const isDefault = page.form['is_default'];
    const pipeline = await readPipeline(page);
    const saved = await page.attempt(() =>
      page.call('ticketPipelines.update', {
        id: pipeline.id,
        ...changedFields(page, ['name', 'description']),
        // There is always a default: another takes its place, it is not taken away.
        ...(isDefault === 'true' && !pipeline.is_default ? { is_default: true } : {}),
      }),
    );
    if ('errors' in saved) return showPipelineForm(page, pipeline, saved.errors);
    return page.redirect(addressOf(pipeline), { text: 'The pipeline is saved.' });
  }),
  post(`${one}place/`, async (page) => {
    await page.call('ticketPipelines.update', { id: page.params['id'], position: page.form['position'] });
    return page.redirect(pipelinesPath);
  }),
  get(`${one}delete/`, 'ticket.manage', async (page) => showDelete(page, await readPipeline(page), null)),
  post(`${one}delete/`, async (page) => {
    const pipeline = await readPipeline(page);
    return remove(page, 'ticketPipelines.delete', { id: pipeline.id }, pipeline, null);
  }),
  get(stagePath, 'ticket.manage', async (page) => showStage(page, ...(await readStage(page)))),
  post(stagePath, async (page) => {
    const [pipeline, stage] = await readStage(page);
    if (page.form['show'] !== undefined) return showStage(page, pipeline, stage);
    const mapping = await showMapping(page, pipeline, stage);
    const notification = changedNotification(page, mapping);
    if (notification && !mapping.isComplete)
      return showStage(page, pipeline, stage, {
        notify_template_variables: ['Choose what stands for each placeholder, or “Nothing (a dash)”.'],
      });
    const values = {
      pipeline_id: pipeline.id,
      ...changedFields(page, ['name', 'color']),
      ...changedChecks(page, ['is_terminal', 'pauses_sla']),
      ...notification,
    };
    const saved = await page.attempt(() =>
      stage
        ? page.call('ticketStages.update', { ...values, stage_id: stage.id })
        : page.call('ticketStages.create', values),
    );
    if ('errors' in saved) return showStage(page, pipeline, stage, saved.errors);
    return page.redirect(addressOf(pipeline), { text: `The stage is ${stage ? 'saved' : 'added'}.` });
  }),
  post(`${stagePath}preview/`, async (page) => {
    const [pipeline, stage] = await readStage(page);
    const mapping = await showMapping(page, pipeline, stage);
    return page.part('/pipelines/mapping', { mapping, errors: {}, path: stageAddress(pipeline, stage) });
  }),
  post(`${stagePath}place/`, async (page) => {
    const [pipeline, stage] = await readStage(page);
    await page.call('ticketStages.update', {
      pipeline_id: pipeline.id,
      stage_id: stage?.id,
      position: page.form['position'],
    });
    return page.redirect(addressOf(pipeline));
  }),
  get(`${stagePath}delete/`, 'ticket.manage', async (page) => showDelete(page, ...(await readStage(page)))),
  post(`${stagePath}delete/`, async (page) => {
    const [pipeline, stage] = await readStage(page);
    return remove(page, 'ticketStages.delete', { pipeline_id: pipeline.id, stage_id: stage?.id }, pipeline, stage);
  }),
]);

async function readPipeline(page: PageRequest): Promise<WirePipeline> {
  return page.call<WirePipeline>('ticketPipelines.get', { id: page.params['id'] });
}

/** Returns the pipeline and its stage; none for the one that is to be added. */
async function readStage(page: PageRequest): Promise<[WirePipeline, WireStage | null]> {
  const pipeline = await readPipeline(page);
  const wanted = page.params['stage_id'];
  const stage = pipeline.stages.find(({ id }) => String(id) === wanted) ?? null;
  if (!stage && wanted !== 'new') throw notFound();
  return [pipeline, stage];
}

function stageAddress(pipeline: WirePipeline, stage: WireStage | null): string {
  return `${addressOf(pipeline)}stages/${stage?.id ?? 'new'}/`;
}

function showPipelineForm(page: PageRequest, pipeline: WirePipeline | null, errors: FieldErrors = {}): PageAnswer {
  const values = {
    name: page.form['name'] ?? pipeline?.name,
    description: page.form['description'] ?? pipeline?.description,
    is_default: page.form['is_default'] ?? pipeline?.is_default,
    stages: page.form['stages'] ?? 'New\nIn progress\nDone',
  };
  const title = pipeline?.name ?? 'New pipeline';
  return page.page(
    '/pipelines/pipeline',
    {
      title,
      was: filledWith(page, pipeline ? { name: pipeline.name, description: pipeline.description } : {}),
      pipeline: pipeline && pipelineView(pipeline, 0, 1),
      values,
      errors,
      path: pipeline ? addressOf(pipeline) : `${pipelinesPath}new/`,
      button: pipeline ? 'Save' : 'Create pipeline',
    },
    { title, ...page_, status: Object.keys(errors).length > 0 ? 422 : 200 },
  );
}

async function showStage(
  page: PageRequest,
  pipeline: WirePipeline,
  stage: WireStage | null,
  errors: FieldErrors = {},
): Promise<PageAnswer> {
  const isSent = page.form['name'] !== undefined;
  const values = {
    name: page.form['name'] ?? stage?.name,
    color: page.form['color'] ?? stage?.color ?? '#64748B',
    is_terminal: isSent ? page.form['is_terminal'] : stage?.is_terminal,
    pauses_sla: isSent ? page.form['pauses_sla'] : stage?.pauses_sla,
  };
  const mapping = await showMapping(page, pipeline, stage, errors);
  // An input for colours gives them in small letters.
  const stored = stage && {
    name: stage.name,
    color: stage.color.toLowerCase(),
    is_terminal: stage.is_terminal,
    pauses_sla: stage.pauses_sla,
    notification: mapping.was,
  };
  const title = stage ? `Stage ${stage.name}` : 'New stage';
  return page.page(
    '/pipelines/stage',
    {
      values,
      was: filledWith(page, stored ?? {}),
      mapping,
      errors,
      title,
      path: stageAddress(pipeline, stage),
      back: { href: addressOf(pipeline), label: `Pipeline ${pipeline.name}` },
      button: stage ? 'Save' : 'Add stage',
    },
    { title, ...page_, status: Object.keys(errors).length > 0 ? 422 : 200 },
  );
}

/** Asks where the tickets go before something is deleted. */
async function showDelete(
  page: PageRequest,
  pipeline: WirePipeline,
  stage: WireStage | null,
  problem = '',
): Promise<PageAnswer> {
  const targets = stage
    ? pipeline.stages.filter(({ id }) => id !== stage.id)
    : (await page.call<WirePipeline[]>('ticketPipelines.list')).filter(({ id }) => id !== pipeline.id);
  const subject = stage ?? pipeline;
  const count = stage
    ? Number(stage.ticket_count)
    : pipeline.stages.reduce((sum, each) => sum + Number(each.ticket_count), 0);
  const kind = stage ? 'stage' : 'pipeline';
  return page.page(
    '/pipelines/delete',
    {
      kind,
      name: subject.name,
      holds: count > 0 ? amountText(count, 'ticket') : '',
      problem,
      chosen: page.form['move_to'],
      targets: [
        { value: '', label: count > 0 ? `Choose a ${kind}` : 'It has none' },
        ...targets.map(({ id, name }) => ({ value: id, label: name })),
      ],
      path: stage ? `${stageAddress(pipeline, stage)}delete/` : `${addressOf(pipeline)}delete/`,
      back: addressOf(pipeline),
    },
    { title: `Delete ${subject.name}`, ...page_, status: problem === '' ? 200 : 409 },
  );
}

async function remove(
  page: PageRequest,
  operationId: string,
  ids: Readonly<Record<string, unknown>>,
  pipeline: WirePipeline,
  stage: WireStage | null,
): Promise<PageAnswer> {
  const target = page.form['move_to'];
  try {
    await page.call(operationId, { ...ids, ...(target ? { move_to: target } : {}) });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 404) throw error;
    const fields = Object.values(error.details.fields ?? {}).flat();
    return showDelete(page, pipeline, stage, fields.join(' ') || error.message);
  }
  return page.redirect(stage ? addressOf(pipeline) : pipelinesPath, {
    text: `The ${stage ? 'stage' : 'pipeline'} is deleted.`,
  });
}
