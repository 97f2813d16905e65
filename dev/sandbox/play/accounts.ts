import type { Context } from '../context';
import { ControlError } from './controlError';
import { sampleResponse } from '../wire/flows';
import type { Account, Flow, JsonObject, PhoneNumber, Product, Template } from '../types';
import { isObject, objectsOf, stableId, textOf } from '../util';

/** Registers or changes an account. Every piece has a default, lists are merged by id. */
export function upsertAccount(context: Context, input: JsonObject): Account {
  const id = textOf(input['business_account_id']);
  if (!id) throw new ControlError(400, 'business_account_id is required.');
  const known = context.state.accounts.get(id);
  const account: Account = known ?? {
    business_account_id: id,
    name: `Business ${id}`,
    access_token: '',
    app_secret: 'sandbox-app-secret',
    verify_token: 'sandbox-verify-token',
    webhook_url: '',
    subscribed: true,
    catalog_id: stableId('catalog', id),
    catalog_name: 'Catalog',
    phone_numbers: [],
    templates: [],
    flows: [],
    products: [],
  };
  if (!known && !textOf(input['access_token'])) throw new ControlError(400, 'access_token is required.');
  for (const phone of objectsOf(input['phone_numbers'])) {
    const owner = context.state.phones.get(textOf(phone['id']) ?? '')?.business_account_id;
    if (owner && owner !== id)
      throw new ControlError(409, `Phone number ${textOf(phone['id'])} belongs to account ${owner}.`);
  }
  for (const key of [
    'name',
    'access_token',
    'app_secret',
    'verify_token',
    'webhook_url',
    'catalog_id',
    'catalog_name',
  ] as const) {
    const value = textOf(input[key]);
    if (value !== undefined) account[key] = value;
  }
  if (typeof input['subscribed'] === 'boolean') account.subscribed = input['subscribed'];
  if (input['replace'] === true) Object.assign(account, { phone_numbers: [], templates: [], flows: [], products: [] });
  merge(
    account.phone_numbers,
    objectsOf(input['phone_numbers']),
    (item) => item.id,
    (given, old) => phoneOf(id, given, old),
  );
  merge(
    account.templates,
    objectsOf(input['templates']),
    (item) => item.id,
    (given, old) => templateOf(id, given, old),
    (given) =>
      account.templates.find((item) => item.name === given['name'] && item.language === (given['language'] ?? 'en_US')),
  );
  merge(
    account.flows,
    objectsOf(input['flows']),
    (item) => item.id,
    (given, old) => flowOf(context, id, given, old),
    (given) => account.flows.find((item) => item.name === given['name']),
  );
  merge(
    account.products,
    objectsOf(input['products']),
    (item) => item.id,
    (given, old) => productOf(id, given, old),
    (given) => account.products.find((item) => item.retailer_id === given['retailer_id']),
  );
  context.state.index(account);
  context.changed();
  return account;
}

function merge<T extends { id: string }>(
  list: T[],
  given: JsonObject[],
  idOf: (item: T) => string,
  build: (input: JsonObject, old: T | undefined) => T,
  alike: (input: JsonObject) => T | undefined = () => undefined,
): void {
  for (const input of given) {
    const old =
      list.find((item) => idOf(item) === textOf(input['id'])) ?? (input['id'] === undefined ? alike(input) : undefined);
    const item = build(input, old);
    if (old) Object.assign(old, item);
    else list.push(item);
  }
}

/** Picks the text fields that the input gives over what is there. */
function texts<K extends string>(input: JsonObject, base: Record<K, string>): Record<K, string> {
  const out = { ...base };
  for (const key of Object.keys(base) as K[]) out[key] = textOf(input[key]) ?? base[key];
  return out;
}

function phoneOf(accountId: string, input: JsonObject, old: PhoneNumber | undefined): PhoneNumber {
  const id = textOf(input['id']);
  if (!id) throw new ControlError(400, 'phone_numbers[].id is required.');
  const base = texts(input, {
    display_phone_number:
      old?.display_phone_number ?? `+1 555-${id.slice(-7, -4).padStart(3, '0')}-${id.slice(-4).padStart(4, '0')}`,
    verified_name: old?.verified_name ?? 'Sandbox Business',
    quality_rating: old?.quality_rating ?? 'GREEN',
    code_verification_status: old?.code_verification_status ?? 'VERIFIED',
    status: old?.status ?? 'CONNECTED',
    name_status: old?.name_status ?? 'APPROVED',
    platform_type: old?.platform_type ?? 'CLOUD_API',
    account_mode: old?.account_mode ?? 'LIVE',
    messaging_limit: textOf(input['messaging_limit_tier']) ?? old?.messaging_limit ?? 'TIER_10K',
  });
  const username = 'username' in input ? textOf(input['username']) : old?.username;
  const status = textOf(input['username_status']) ?? old?.username_status ?? (username ? 'approved' : undefined);
  const mps = Number(input['throughput_mps'] ?? old?.throughput_mps ?? 80);
  return {
    ...base,
    id,
    business_account_id: accountId,
    throughput_mps: Number.isFinite(mps) ? mps : 80,
    username,
    username_status: status,
  };
}

function templateOf(accountId: string, input: JsonObject, old: Template | undefined): Template {
  const name = textOf(input['name']) ?? old?.name;
  if (!name) throw new ControlError(400, 'templates[].name is required.');
  const language = textOf(input['language']) ?? old?.language ?? 'en_US';
  const components = Array.isArray(input['components'])
    ? objectsOf(input['components'])
    : (old?.components ?? [{ type: 'BODY', text: 'Hello' }]);
  const format = textOf(input['parameter_format'])?.toUpperCase() ?? old?.parameter_format;
  const status = (textOf(input['status']) ?? old?.status ?? 'APPROVED').toUpperCase();
  return {
    id: textOf(input['id']) ?? old?.id ?? stableId('template', accountId, name, language),
    name,
    language,
    category: (textOf(input['category']) ?? old?.category ?? 'UTILITY').toUpperCase(),
    status,
    parameter_format: format === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    components,
    rejected_reason:
      textOf(input['rejected_reason']) ?? old?.rejected_reason ?? (status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE'),
    quality_score: textOf(input['quality_score']) ?? old?.quality_score ?? 'UNKNOWN',
  };
}

const sampleFlowJson: JsonObject = {
  version: '7.0',
  screens: [
    {
      id: 'START',
      title: 'Tell us more',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextInput', name: 'name', label: 'Your name', required: true },
          { type: 'TextArea', name: 'comment', label: 'Comment', required: false },
          {
            type: 'Footer',
            label: 'Send',
            'on-click-action': { name: 'complete', payload: { name: '${form.name}', comment: '${form.comment}' } },
          },
        ],
      },
    },
  ],
};

function flowOf(context: Context, accountId: string, input: JsonObject, old: Flow | undefined): Flow {
  const name = textOf(input['name']) ?? old?.name;
  if (!name) throw new ControlError(400, 'flows[].name is required.');
  const endpoint = textOf(input['endpoint_uri']) ?? old?.endpoint_uri;
  const json = typeof input['flow_json'] === 'string' ? parsed(input['flow_json']) : input['flow_json'];
  return {
    id: textOf(input['id']) ?? old?.id ?? stableId('flow', accountId, name),
    name,
    status: (textOf(input['status']) ?? old?.status ?? 'PUBLISHED').toUpperCase(),
    categories: Array.isArray(input['categories']) ? input['categories'].map(String) : (old?.categories ?? ['OTHER']),
    validation_errors: Array.isArray(input['validation_errors'])
      ? objectsOf(input['validation_errors'])
      : (old?.validation_errors ?? []),
    json_version: textOf(input['json_version']) ?? old?.json_version ?? '7.0',
    data_api_version: textOf(input['data_api_version']) ?? old?.data_api_version ?? (endpoint ? '3.0' : undefined),
    endpoint_uri: endpoint,
    updated_at: context.clock(),
    preview_token: old?.preview_token ?? 1,
    flow_json: isObject(json) ? json : (old?.flow_json ?? sampleFlowJson),
    sends: old?.sends ?? [],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, 'flows[].flow_json is not JSON.');
  }
}

function productOf(accountId: string, input: JsonObject, old: Product | undefined): Product {
  const retailerId = textOf(input['retailer_id']) ?? old?.retailer_id;
  if (!retailerId) throw new ControlError(400, 'products[].retailer_id is required.');
  const base = texts(input, {
    name: old?.name ?? retailerId,
    description: old?.description ?? '',
    price: old?.price ?? '$10.00',
    currency: old?.currency ?? 'USD',
    availability: old?.availability ?? 'in stock',
    image_url: old?.image_url ?? '',
    url: old?.url ?? '',
  });
  return {
    ...base,
    id: textOf(input['id']) ?? old?.id ?? stableId('product', accountId, retailerId),
    retailer_id: retailerId,
  };
}

/** Returns an account as the control API shows it, without the secrets by which one could speak for it. */
export function accountView(account: Account): JsonObject {
  const {
    templates,
    flows,
    products,
    access_token: _token,
    app_secret: _secret,
    verify_token: _verify,
    ...rest
  } = account;
  return {
    ...rest,
    templates: templates.map(({ id, name, language, category, status, parameter_format, components }) => ({
      id,
      name,
      language,
      category,
      status,
      parameter_format,
      components,
    })),
    flows: flows.map((flow) => ({ id: flow.id, name: flow.name, status: flow.status, sample: sampleResponse(flow) })),
    products: products.map(({ id, retailer_id, name, price, currency, availability }) => ({
      id,
      retailer_id,
      name,
      price,
      currency,
      availability,
    })),
  };
}
