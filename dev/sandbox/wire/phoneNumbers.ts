import { GraphError } from './errors';
import { page, parseFields, pick } from './nodes';
import type { Account, JsonObject, PhoneNumber, Reply } from '../types';
import { countryOf } from '../state';
import { digitsOf, isObject, listOf } from '../util';

const nodeType = 'WhatsAppBusinessPhoneNumber';
const defaultFields = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'webhook_configuration',
  'id',
];

function node(account: Account, phone: PhoneNumber): JsonObject {
  const { dial, country } = countryOf(digitsOf(phone.display_phone_number));
  return {
    id: phone.id,
    display_phone_number: phone.display_phone_number,
    verified_name: phone.verified_name,
    quality_rating: phone.quality_rating,
    quality_score: { score: phone.quality_rating },
    code_verification_status: phone.code_verification_status,
    status: phone.status,
    name_status: phone.name_status,
    platform_type: phone.platform_type,
    throughput: { level: phone.throughput_mps === 0 || phone.throughput_mps > 80 ? 'HIGH' : 'STANDARD' },
    account_mode: phone.account_mode,
    is_official_business_account: false,
    is_pin_enabled: false,
    country_code: country,
    country_dial_code: dial,
    webhook_configuration: { application: account.webhook_url },
    health_status: {
      can_send_message: 'AVAILABLE',
      entities: [{ entity_type: 'PHONE_NUMBER', id: phone.id, can_send_message: 'AVAILABLE' }],
    },
    whatsapp_business_manager_messaging_limit: phone.messaging_limit,
    messaging_limit_tier: phone.messaging_limit,
    // Known to the platform but empty on this node in practice; it has an edge of its own.
    username: undefined,
    certificate: undefined,
    new_name_status: 'NONE',
    last_onboarded_time: undefined,
    host_platform: undefined,
    search_visibility: undefined,
    eligibility_for_api_business_global_search: undefined,
    conversational_automation: undefined,
  };
}

export function listPhoneNumbers(account: Account, query: URLSearchParams, url: string): Reply {
  const fields = parseFields(query.get('fields'));
  const nodes = account.phone_numbers
    .map((phone) => node(account, phone))
    .filter((item) => matches(item, query.get('filtering')));
  return page(nodes, query, url, (item) => pick(item, fields, defaultFields, nodeType));
}

/** Applies `filtering`, a JSON array of `{field, operator, value}`, as on other Graph edges. */
function matches(item: JsonObject, filtering: string | null): boolean {
  if (!filtering) return true;
  let rules: unknown;
  try {
    rules = JSON.parse(filtering);
  } catch {
    throw new GraphError(100, 'Param filtering must be a JSON array.');
  }
  return listOf(rules)
    .filter(isObject)
    .every((rule) => {
      const value = item[String(rule['field'])];
      return Array.isArray(rule['value']) ? rule['value'].includes(value) : value === rule['value'];
    });
}

export function getPhoneNumber(account: Account, phone: PhoneNumber, query: URLSearchParams): Reply {
  return { status: 200, body: pick(node(account, phone), parseFields(query.get('fields')), defaultFields, nodeType) };
}

export function getUsername(phone: PhoneNumber): Reply {
  return {
    status: 200,
    body: phone.username ? { username: phone.username, status: phone.username_status ?? 'approved' } : {},
  };
}

export function getUsernameSuggestions(phone: PhoneNumber): Reply {
  const stem = phone.verified_name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.|\.$/g, '')
    .slice(0, 28);
  return { status: 200, body: { data: [{ username_suggestions: [stem, `${stem}.help`, `${stem}_team`] }] } };
}

export function getAccount(account: Account, query: URLSearchParams): Reply {
  const all: JsonObject = {
    id: account.business_account_id,
    name: account.name,
    currency: 'USD',
    timezone_id: '1',
    message_template_namespace: `ns_${account.business_account_id}`,
    account_review_status: 'APPROVED',
    business_verification_status: 'verified',
    country: 'US',
    ownership_type: 'SELF',
    status: 'ACTIVE',
    primary_business_location: undefined,
    on_behalf_of_business_info: undefined,
  };
  return {
    status: 200,
    body: pick(
      all,
      parseFields(query.get('fields')),
      ['id', 'name', 'timezone_id', 'message_template_namespace'],
      'WhatsAppBusinessAccount',
    ),
  };
}
