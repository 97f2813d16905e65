import type { Context } from '../context';
import { GraphError } from './errors';
import { urlHash } from './media';
import { page, parseFields, pick, type Field } from './nodes';
import type { Account, Flow, JsonObject, Product, Reply } from '../types';
import { dayMs } from '../state';
import { graphDate, isObject, unixSeconds } from '../util';

const flowType = 'Flow';
const defaultFields = ['id', 'name', 'status', 'categories', 'validation_errors'];
const metrics = [
  'ENDPOINT_REQUEST_COUNT',
  'ENDPOINT_REQUEST_ERROR',
  'ENDPOINT_REQUEST_ERROR_RATE',
  'ENDPOINT_REQUEST_LATENCY_SECONDS_CEIL',
  'ENDPOINT_AVAILABILITY',
];
const assetTtlMs = 300_000;
const maxPoints = 400;

function flowNode(
  context: Context,
  account: Account,
  flow: Flow,
  fields: Field[] | null,
  unixDates: boolean,
  origin: string,
): JsonObject {
  const date = (ms: number): unknown => (unixDates ? unixSeconds(ms) : graphDate(ms));
  const preview = fields?.find((field) => field.name === 'preview');
  if (preview && /invalidate\(true\)/.test(preview.modifier)) flow.preview_token += 1;
  const metric = fields?.find((field) => field.name === 'metric');
  return {
    id: flow.id,
    name: flow.name,
    status: flow.status,
    categories: flow.categories,
    validation_errors: flow.validation_errors,
    json_version: flow.json_version,
    data_api_version: flow.data_api_version,
    data_channel_uri: flow.endpoint_uri,
    endpoint_uri: flow.endpoint_uri,
    preview: {
      preview_url: `${origin}/_flow-preview/${flow.id}?token=${urlHash(context, flow.id, flow.preview_token)}`,
      expires_at: date(context.clock() + 30 * dayMs),
    },
    updated_at: date(flow.updated_at),
    health_status: {
      can_send_message: flow.status === 'BLOCKED' ? 'BLOCKED' : flow.status === 'THROTTLED' ? 'LIMITED' : 'AVAILABLE',
      entities: [
        { entity_type: 'FLOW', id: flow.id, can_send_message: flow.status === 'BLOCKED' ? 'BLOCKED' : 'AVAILABLE' },
      ],
    },
    whatsapp_business_account: {
      id: account.business_account_id,
      name: account.name,
      currency: 'USD',
      timezone_id: '1',
      message_template_namespace: `ns_${account.business_account_id}`,
    },
    application: { link: 'https://www.facebook.com/games/?app_id=1', name: 'Sandbox App', id: '100000000000001' },
    assets: undefined,
    metric: metric ? metricOf(context, flow, metric.modifier) : undefined,
  };
}

export function listFlows(
  context: Context,
  account: Account,
  query: URLSearchParams,
  url: string,
  origin: string,
): Reply {
  const fields = parseFields(query.get('fields'));
  const nodes = account.flows.map((flow) =>
    flowNode(context, account, flow, fields, query.get('date_format') === 'U', origin),
  );
  return page(nodes, query, url, (item) => pick(item, fields, defaultFields, flowType));
}

export function getFlow(context: Context, account: Account, flow: Flow, query: URLSearchParams, origin: string): Reply {
  const fields = parseFields(query.get('fields'));
  return {
    status: 200,
    body: pick(
      flowNode(context, account, flow, fields, query.get('date_format') === 'U', origin),
      fields,
      defaultFields,
      flowType,
    ),
  };
}

export function getFlowAssets(context: Context, flow: Flow, origin: string): Reply {
  const expires = context.clock() + assetTtlMs;
  const download = `${origin}/_flow-assets/${flow.id}?ext=${expires}&hash=${urlHash(context, flow.id, expires)}`;
  return {
    status: 200,
    body: {
      data: [{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url: download }],
      paging: { cursors: { before: 'QVFI', after: 'QVFI' } },
    },
  };
}

/** Returns the definition. It needs no token: the link itself is the key, and it is short-lived. */
export function downloadFlowJson(context: Context, flow: Flow | undefined, query: URLSearchParams): Reply {
  const expires = Number(query.get('ext'));
  if (!flow || expires <= context.clock() || query.get('hash') !== urlHash(context, flow.id, expires)) {
    return { status: 403, raw: 'URL signature expired', contentType: 'text/plain' };
  }
  return { status: 200, raw: JSON.stringify(flow.flow_json, null, 2), contentType: 'application/json' };
}

/** Returns what a customer may answer in the flow: every key that a screen submits, with a text. */
export function sampleResponse(flow: Flow): JsonObject {
  const sample: JsonObject = {};
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isObject(node)) return;
    const action = node['on-click-action'];
    if (isObject(action) && action['name'] === 'complete' && isObject(action['payload']))
      for (const key of Object.keys(action['payload'])) sample[key] = key === 'name' ? 'Anna' : 'Great';
    Object.values(node).forEach(visit);
  };
  visit(flow.flow_json);
  return sample;
}

/** Answers `.name(X).granularity(DAY).since(..).until(..)` with figures made from the flow and the instant. */
function metricOf(context: Context, flow: Flow, modifier: string): JsonObject {
  const argument = (name: string): string | undefined => new RegExp(`\\.${name}\\(([^)]*)\\)`).exec(modifier)?.[1];
  const name = argument('name') ?? '';
  if (!metrics.includes(name)) throw new GraphError(100, `Metric name must be one of ${metrics.join(', ')}.`);
  const granularity = argument('granularity') ?? 'DAY';
  const step = { DAY: dayMs, HOUR: 3_600_000, LIFETIME: Infinity }[granularity];
  if (!step) throw new GraphError(100, 'Metric granularity must be DAY, HOUR or LIFETIME.');
  const until = instant(argument('until')) ?? context.clock();
  const since = instant(argument('since')) ?? until - 7 * dayMs;
  const points: JsonObject[] = [];
  const begin = step === Infinity ? since : Math.floor(since / step) * step;
  for (let at = begin; at < until && points.length < maxPoints; at += step) {
    points.push({
      timestamp: graphDate(at),
      data: [{ key: name.includes('ERROR') ? 'timeout' : 'value', value: figure(name, flow.id, at) }],
    });
  }
  return { granularity, name, data_points: points };
}

function instant(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const parsed = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text.replace(/['"]/g, ''));
  if (Number.isNaN(parsed)) throw new GraphError(100, 'Metric since and until must be dates.');
  return parsed;
}

function figure(name: string, flowId: string, at: number): number {
  const wave = (Number(flowId.slice(-4)) + Math.floor(at / 3_600_000)) % 17;
  if (name === 'ENDPOINT_REQUEST_COUNT') return 40 + wave * 3;
  if (name === 'ENDPOINT_AVAILABILITY') return 1;
  if (name === 'ENDPOINT_REQUEST_ERROR_RATE') return wave / 1000;
  return name === 'ENDPOINT_REQUEST_ERROR' ? wave % 3 : 1;
}

export function listCatalogs(account: Account, query: URLSearchParams, url: string): Reply {
  const nodes =
    account.products.length > 0
      ? [
          {
            id: account.catalog_id,
            name: account.catalog_name,
            product_count: account.products.length,
            vertical: 'commerce',
          },
        ]
      : [];
  return page(nodes, query, url, (item) =>
    pick(item, parseFields(query.get('fields')), ['id', 'name'], 'ProductCatalog'),
  );
}

export function getCatalog(account: Account, query: URLSearchParams): Reply {
  const node = {
    id: account.catalog_id,
    name: account.catalog_name,
    product_count: account.products.length,
    vertical: 'commerce',
  };
  return { status: 200, body: pick(node, parseFields(query.get('fields')), ['id', 'name'], 'ProductCatalog') };
}

function productNode(product: Product): JsonObject {
  return {
    ...product,
    additional_image_urls: [],
    brand: undefined,
    category: undefined,
    condition: 'new',
    retailer_product_group_id: undefined,
    sale_price: undefined,
    visibility: 'published',
    review_status: 'approved',
  };
}

export function listProducts(account: Account, query: URLSearchParams, url: string): Reply {
  const fields = parseFields(query.get('fields'));
  return page(account.products.map(productNode), query, url, (item) =>
    pick(item, fields, ['id', 'name', 'retailer_id'], 'ProductItem'),
  );
}

export function getProduct(product: Product, query: URLSearchParams): Reply {
  return {
    status: 200,
    body: pick(productNode(product), parseFields(query.get('fields')), ['id', 'name', 'retailer_id'], 'ProductItem'),
  };
}
