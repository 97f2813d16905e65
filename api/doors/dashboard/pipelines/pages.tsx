import { AppError, notFound } from '../../../core/http/errors';
import { pipelineShape } from '../../../services/resources/pipelines/serializer';
import { changedChecks, changedFields } from '../forms';
import { definePages, type PageAnswer, type PageRequest, type PageRoute } from '../page';
import { withoutTicketing } from '../tickets/board';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { deletePage, pipelinePage, stagePage } from './forms';
import { type Pipeline, type Stage } from '../tickets/read';
import { addressOf, listPage, pipelinesPath, stageAddress } from './list';
import { changedNotification, MappingFields, showMapping } from './mapping';

const { pipelines: said } = words;
const one = `${pipelinesPath}:id/`;
const stagePath = `${one}stages/:stage_id/`;

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
  get(pipelinesPath, 'ticket.view', listPage),
  get(`${pipelinesPath}new/`, 'ticket.manage', async (page) => pipelinePage(page, null)),
  post(`${pipelinesPath}new/`, async (page) => {
    const { name, description } = page.form;
    const names = (page.form['stages'] ?? '').split('\n').map((line) => line.trim());
    const stages = names.filter(Boolean).map((stage, index, all) => ({
      name: stage,
      // The last one closes its tickets, as in every pipeline that ends.
      is_terminal: all.length > 1 && index === all.length - 1,
    }));
    const saved = await page.attempt(() =>
      readOne(page, pipelineShape, 'ticketPipelines.create', {
        name,
        description,
        ...(stages.length > 0 ? { stages } : {}),
      }),
    );
    if ('errors' in saved) return pipelinePage(page, null, saved.errors);
    return page.redirect(addressOf(saved.value), { text: said.made });
  }),
  get(one, 'ticket.view', async (page) => pipelinePage(page, await readPipeline(page))),
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
    if ('errors' in saved) return pipelinePage(page, pipeline, saved.errors);
    return page.redirect(addressOf(pipeline), { text: said.saved });
  }),
  post(`${one}place/`, async (page) => {
    await page.call('ticketPipelines.update', { id: page.params['id'], position: page.form['position'] });
    return page.redirect(pipelinesPath);
  }),
  get(`${one}delete/`, 'ticket.manage', async (page) => deletePage(page, await readPipeline(page), null)),
  post(`${one}delete/`, async (page) => {
    const pipeline = await readPipeline(page);
    return remove(page, 'ticketPipelines.delete', { id: pipeline.id }, pipeline, null);
  }),
  get(stagePath, 'ticket.manage', async (page) => stagePage(page, ...(await readStage(page)))),
  post(stagePath, async (page) => {
    const [pipeline, stage] = await readStage(page);
    if (page.form['show'] !== undefined) return stagePage(page, pipeline, stage);
    const mapping = await showMapping(page, pipeline, stage);
    const notification = changedNotification(page, mapping);
    if (notification && !mapping.isComplete)
      return stagePage(page, pipeline, stage, {
        notify_template_variables: [said.message.incomplete],
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
    if ('errors' in saved) return stagePage(page, pipeline, stage, saved.errors);
    return page.redirect(addressOf(pipeline), { text: stage ? said.stage.saved : said.stage.made });
  }),
  post(`${stagePath}preview/`, async (page) => {
    const [pipeline, stage] = await readStage(page);
    const mapping = await showMapping(page, pipeline, stage);
    return page.part(<MappingFields mapping={mapping} errors={{}} path={stageAddress(pipeline, stage)} />);
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
  get(`${stagePath}delete/`, 'ticket.manage', async (page) => deletePage(page, ...(await readStage(page)))),
  post(`${stagePath}delete/`, async (page) => {
    const [pipeline, stage] = await readStage(page);
    return remove(page, 'ticketStages.delete', { pipeline_id: pipeline.id, stage_id: stage?.id }, pipeline, stage);
  }),
]);

function readPipeline(page: PageRequest): Promise<Pipeline> {
  return readOne(page, pipelineShape, 'ticketPipelines.get', { id: page.params['id'] });
}

/** Returns the pipeline and its stage; none for the one that is to be added. */
async function readStage(page: PageRequest): Promise<[Pipeline, Stage | null]> {
  const pipeline = await readPipeline(page);
  const wanted = page.params['stage_id'];
  const stage = pipeline.stages.find(({ id }) => String(id) === wanted) ?? null;
  if (!stage && wanted !== 'new') throw notFound();
  return [pipeline, stage];
}

async function remove(
  page: PageRequest,
  operationId: string,
  ids: Readonly<Record<string, unknown>>,
  pipeline: Pipeline,
  stage: Stage | null,
): Promise<PageAnswer> {
  const target = page.form['move_to'];
  try {
    await page.call(operationId, { ...ids, ...(target ? { move_to: target } : {}) });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 404) throw error;
    const fields = Object.values(error.details.fields ?? {}).flat();
    return deletePage(page, pipeline, stage, fields.join(' ') || error.message);
  }
  return page.redirect(stage ? addressOf(pipeline) : pipelinesPath, {
    text: stage ? said.delete.stage.done : said.delete.pipeline.done,
  });
}
