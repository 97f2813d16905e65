import type { AnswerOf } from '../../../core/http/shapes';
import { pipelineShape, type stageShape } from '../../../services/resources/pipelines/serializer';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { Form } from '../parts';
import { ticketsPath } from '../tickets/read';
import { readList } from '../typedCalls';
import { words } from '../words';
import { Head, NewLink } from '../headParts';

const { common, pipelines: said } = words;

export type Pipeline = AnswerOf<typeof pipelineShape>;
export type Stage = AnswerOf<typeof stageShape>;

export const pipelinesPath = '/dashboard/pipelines/';
/** What all of these pages are told beside their title. */
export const placed = { place: 'pipelines', styles: ['desk.css'] } as const;

export const addressOf = ({ id }: Pick<Pipeline, 'id'>): string => `${pipelinesPath}${id}/`;
export const stageAddress = (pipeline: Pipeline, stage: Stage | null): string =>
  `${addressOf(pipeline)}stages/${stage?.id ?? 'new'}/`;

/** Reads all pipelines with their stages. */
export const readPipelines = (page: PageRequest): Promise<readonly Pipeline[]> =>
  readList(page, pipelineShape, 'ticketPipelines.list');

/** Answers with all pipelines. */
export async function listPage(page: PageRequest): Promise<PageAnswer> {
  const found = await readPipelines(page);
  const body = (
    <div class="column">
      <Head title={said.title}>
        {page.may('ticketPipelines.create') && <NewLink href={`${pipelinesPath}new/`} text={said.new} />}
      </Head>
      <p class="soft">{said.about}</p>
      {found.map((pipeline, index) => (
        <Panel page={page} pipeline={pipeline} index={index} count={found.length} />
      ))}
    </div>
  );
  return page.page(body, { title: said.title, ...placed });
}

interface PanelGiven {
  readonly page: PageRequest;
  readonly pipeline: Pipeline;
  readonly index: number;
  readonly count: number;
}

function Panel({ page, pipeline, index, count }: PanelGiven): Html {
  const { id, name, description, is_default: isDefault, stages } = pipeline;
  const path = addressOf(pipeline);
  const mayChange = page.may('ticketPipelines.update');
  return (
    <section class="panel" aria-labelledby={`pipeline-${id}`}>
      <div class="line">
        <h2 class="grow" id={`pipeline-${id}`}>
          <a class="row-link" href={path}>
            {name}
          </a>
          {isDefault && (
            <>
              {' '}
              <span class="tag tag-accent">{said.default}</span>
            </>
          )}
        </h2>
        {mayChange && count > 1 && (
          <PlaceForm name={name} action={`${path}place/`} csrf={page.csrf} index={index} count={count} />
        )}
      </div>
      {description && <p class="pre">{description}</p>}
      <p class="stage-chips">
        {stages.map((stage) => (
          <StageChip stage={stage} />
        ))}
      </p>
      <p>
        <a class="button button-small" href={`${ticketsPath}?pipeline=${id}`}>
          {said.board}
        </a>{' '}
        <a class="button button-small" href={path}>
          {mayChange ? common.edit : said.lookAt}
          <span class="visually-hidden"> {name}</span>
        </a>
      </p>
    </section>
  );
}

function StageChip({ stage }: { readonly stage: Stage }): Html {
  const { name, color, ticket_count: count, notify_template_name: template } = stage;
  return (
    <span class="tag">
      <span class="dot" data-color={color}></span>
      {name} <strong>{count}</strong>
      {template && (
        <>
          {' '}
          <span title={said.sendsTitle(template)}>
            <Icon name="send" />
            <span class="visually-hidden">{said.sends(template)}</span>
          </span>
        </>
      )}
    </span>
  );
}

interface PlaceGiven {
  readonly name: string;
  readonly action: string;
  readonly csrf: string;
  readonly index: number;
  readonly count: number;
}

/** The buttons that move one of several up and down. */
export function PlaceForm({ name, action, csrf, index, count }: PlaceGiven): Html {
  const moves = [
    { at: index - 1, label: said.moveUp(name), isOff: index === 0, sign: '↑' },
    { at: index + 1, label: said.moveDown(name), isOff: index === count - 1, sign: '↓' },
  ];
  return (
    <Form class="line" action={action} csrf={csrf}>
      {moves.map(({ at, label, isOff, sign }) => (
        <button class="button-icon" name="position" value={at} aria-label={label} disabled={isOff}>
          {sign}
        </button>
      ))}
    </Form>
  );
}
