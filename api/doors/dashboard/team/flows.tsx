import { AppError } from '../../../core/http/errors';
import type { AnswerOf } from '../../../core/http/shapes';
import { flowShape, metricsShape, submissionShape } from '../../../services/resources/flows/serializer';
import { pagerView, statusTag, type TagView } from '../fieldViews';
import { numberText } from '../formats';
import { Icon, type Html } from '../html';
import { customerNames } from '../inbox/load';
import { asText } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { BadNote, Empty, Field, Pager, Tag } from '../parts';
import { readOne, readPage } from '../typedCalls';
import { words } from '../words';
import { Head } from '../headParts';
import { Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { flows } = words;
const path = '/dashboard/flows/';
const place = 'flows';
const scope = 'flow.view';

type Flow = AnswerOf<typeof flowShape>;
type Submission = AnswerOf<typeof submissionShape>;
type Metric = AnswerOf<typeof metricsShape>['metrics'][number];

const addressOf = ({ flow_id: id }: Flow): string => `${path}${encodeURIComponent(id)}/`;
const stateOf = ({ status }: Flow): TagView => statusTag(status, valueWord(status.toLowerCase()));
const alertsOf = ({ alerts }: Flow): Flow['alerts'] => alerts.filter(({ alert_state: state }) => state === 'ACTIVATED');

/** Flows: the list, one with its submissions and the figures of its endpoint. */
export const flowPages = definePages([
  { method: 'GET', path, scope, run: showList },
  { method: 'GET', path: `${path}:flow_id/`, scope, run: showFlow },
]);

async function showList(page: PageRequest): Promise<PageAnswer> {
  const { search } = page.query;
  const list = await readPage(page, flowShape, 'flows.list', { ...page.query });
  const { empty } = flows;
  const noneFits = (
    <>
      {empty.fits}
      <a href={path}>{empty.all}</a>
    </>
  );
  const body = (
    <div class="column column-wide">
      <Head title={flows.title} />
      <form class="filter-form" method="get" action={path} role="search">
        <Field name="search" label={flows.search} type="search" value={search} attributes={{ 'data-key': '/' }} />
        <button class="button" type="submit">
          {flows.search}
        </button>
      </form>
      {list.items.length === 0 && <Empty icon="workflow" title={empty.title} text={search ? noneFits : empty.text} />}
      <ul class="rows">
        {list.items.map((flow) => (
          <li class="row-item">
            <div>
              <a href={addressOf(flow)}>
                <strong>{flow.name}</strong>
              </a>
              <br />
              <span class="soft small">
                {flow.flow_id}
                {alertsOf(flow).length > 0 && (
                  <>
                    {' · '}
                    <span class="tag tag-bad">{flows.alert}</span>
                  </>
                )}
              </span>
            </div>
            <Tag {...stateOf(flow)} />
          </li>
        ))}
      </ul>
      <Pager pager={pagerView(list, path, { search })} />
    </div>
  );
  return page.page(body, { title: flows.title, place });
}

async function showFlow(page: PageRequest): Promise<PageAnswer> {
  const { flow_id } = page.params;
  const flow = await readOne(page, flowShape, 'flows.get', { flow_id });
  const hasEndpoint = flow.is_data_exchange === 'true';
  const [list, metrics] = await Promise.all([
    readPage(page, submissionShape, 'flows.submissions', { flow_id, page_size: 20, ...page.query }),
    hasEndpoint ? readMetrics(page, flow) : [],
  ]);
  const errors = Array.isArray(flow.validation_errors) ? flow.validation_errors.length : 0;
  const { facts } = flows;
  const body = (
    <div class="column column-wide">
      <Head title={flow.name} back={{ href: path, label: flows.title }}>
        <Tag {...stateOf(flow)} />
        {/^https?:\/\//.test(flow.preview_url) && (
          <a class="button button-small" href={flow.preview_url} target="_blank" rel="noreferrer">
            {flows.preview} <Icon name="external-link" />
          </a>
        )}
      </Head>
      {alertsOf(flow).map(({ event, message }) => (
        <div class="note note-warn">
          <p>
            <strong>{event.toLowerCase().replaceAll('_', ' ')}:</strong> {message}
          </p>
        </div>
      ))}
      {errors > 0 && <BadNote text={flows.errors(errors)} />}
      <dl class="facts">
        <dt>{facts.id}</dt>
        <dd>{flow.flow_id}</dd>
        <dt>{facts.changed}</dt>
        <dd>{page.timePart(flow.updated_at, 'full')}</dd>
        <dt>{facts.synced}</dt>
        <dd>{page.timePart(flow.synced_at, 'full')}</dd>
        {flow.data_channel_uri && (
          <>
            <dt>{facts.endpoint}</dt>
            <dd>{flow.data_channel_uri}</dd>
          </>
        )}
      </dl>
      {hasEndpoint && <Endpoint page={page} metrics={metrics} />}
      <h2>{flows.submissions.title}</h2>
      {list.items.length === 0 ? (
        <p class="soft">{flows.submissions.none}</p>
      ) : (
        <Table
          label={flows.submissions.title}
          columns={submissionColumns(
            page,
            await customerNames(
              page,
              list.items.map(({ receiver_id: receiver }) => receiver),
            ),
          )}
          items={list.items}
        />
      )}
      <Pager pager={pagerView(list, addressOf(flow))} />
    </div>
  );
  return page.page(body, { title: flow.name, place });
}

/** What is known of a flow's endpoint, day by day. */
function Endpoint({ page, metrics }: { readonly page: PageRequest; readonly metrics: readonly Metric[] | null }): Html {
  const { endpoint } = flows;
  const days = metrics?.find(({ points }) => points.length > 0)?.points.map(({ timestamp }) => timestamp) ?? [];
  const cellOf = ({ name, points }: Metric, day: string): string => {
    const point = points.find(({ timestamp }) => timestamp === day);
    if (!point) return endpoint.nothing;
    return Object.values(point.values)
      .map((value) => figureText(name, value))
      .join(', ');
  };
  const figures = (
    <div class="table-scroll" tabindex={0} role="region" aria-label={endpoint.table}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{endpoint.figure}</th>
            {days.map((day) => (
              <th scope="col">{page.timePart(day, 'day')}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics?.map((metric) => (
            <tr>
              <th scope="row">{endpoint.metrics[metric.name]}</th>
              {days.map((day) => (
                <td>{cellOf(metric, day)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return (
    <>
      <h2>{endpoint.title}</h2>
      {days.length > 0 ? figures : <p class="soft">{metrics ? endpoint.none : endpoint.unknown}</p>}
    </>
  );
}

/** Writes a figure: shares in percent. */
function figureText(name: Metric['name'], value: number): string {
  const isShare = name === 'endpoint_request_error_rate' || name === 'endpoint_availability';
  return isShare ? flows.endpoint.share(Number((value * 100).toFixed(1))) : numberText(value);
}

/** The columns of what customers filled in. */
function submissionColumns(page: PageRequest, names: ReadonlyMap<string, string>): readonly Column<Submission>[] {
  const { submissions: said } = flows;
  return [
    {
      label: said.customer,
      cell: said.name,
      show: ({ receiver_id: receiver }) => {
        const title = names.get(receiver) ?? receiver;
        if (!page.can('chat.view')) return title;
        return <a href={`/dashboard/inbox/${encodeURIComponent(receiver)}/`}>{title}</a>;
      },
    },
    {
      label: said.answers,
      show: ({ response }) =>
        Object.entries(response).map(([name, value]) => (
          <div class="break">
            <span class="soft">{name}:</span> {asText(value)}
          </div>
        )),
    },
    { label: said.when, class: 'whole', show: ({ submitted_at: at }) => page.timePart(at, 'full') },
  ];
}

/** Returns the figures; null while the platform gives none. */
async function readMetrics(page: PageRequest, { flow_id }: Flow): Promise<readonly Metric[] | null> {
  try {
    return (await readOne(page, metricsShape, 'flows.metrics', { flow_id })).metrics;
  } catch (error) {
    if (error instanceof AppError && error.status !== 403) return null;
    throw error;
  }
}
