import { cut } from '../../../core/text/cut';
import type { Upstream } from '../../../core/platform/upstream';

type Json = Record<string, unknown>;

/** The messages per second of each throughput level (upstream 3). */
const throughputByLevel: Readonly<Record<string, number>> = { STANDARD: 80, HIGH: 1_000, NOT_APPLICABLE: 80 };
const defaultThroughput = 80;
const usernameReadsAtOnce = 8;

const phoneNumberFields = [
  'id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'code_verification_status',
  'status',
  'throughput',
  'whatsapp_business_manager_messaging_limit',
  'messaging_limit_tier',
].join(',');
const templateFields = 'id,name,language,status,category,components,parameter_format,rejected_reason,quality_score';

/** A phone number as it is stored. */
export interface UpstreamNumber {
  readonly phone_number_id: string;
  readonly display_phone_number: string;
  readonly verified_name: string;
  readonly quality_rating: string;
  readonly code_verification_status: string;
  readonly messaging_limit_tier: string;
  readonly throughput_mps: number;
  readonly status: string;
  /** Null: could not be read, what is stored stays. */
  readonly business_username: string | null;
  readonly business_username_status: string | null;
}

/** A template as it is stored. */
export interface UpstreamTemplate {
  readonly template_id: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category: string;
  readonly components: unknown;
  readonly parameter_format: string;
  readonly rejected_reason: string;
  readonly quality_score: string;
}

/** Reads an account's phone numbers with their usernames, which live on an edge of their own. */
export async function readPhoneNumbers(
  upstream: Upstream,
  accessToken: string,
  accountId: string,
): Promise<UpstreamNumber[]> {
  const items = await upstream.list(accessToken, `${encodeURIComponent(accountId)}/phone_numbers`, {
    fields: phoneNumberFields,
  });
  const numbers: UpstreamNumber[] = [];
  for (let start = 0; start < items.length; start += usernameReadsAtOnce) {
    const part = items.slice(start, start + usernameReadsAtOnce);
    numbers.push(
      ...(await Promise.all(
        part.map(async (item) => ({
          ...phoneNumberOf(item),
          ...(await readUsername(upstream, accessToken, text(item['id'], 64))),
        })),
      )),
    );
  }
  return numbers.filter((number) => number.phone_number_id !== '');
}

async function readUsername(
  upstream: Upstream,
  accessToken: string,
  phoneNumberId: string,
): Promise<Pick<UpstreamNumber, 'business_username' | 'business_username_status'>> {
  try {
    const answer = await upstream.get(accessToken, `${encodeURIComponent(phoneNumberId)}/username`);
    return { business_username: text(answer['username'], 64), business_username_status: text(answer['status'], 32) };
  } catch {
    // Numbers without the feature answer with an error; the name is display only and not worth failing a sync.
    return { business_username: null, business_username_status: null };
  }
}

function phoneNumberOf(item: Json): Omit<UpstreamNumber, 'business_username' | 'business_username_status'> {
  const level = text((item['throughput'] as Json | null | undefined)?.['level'], 32).toUpperCase();
  return {
    phone_number_id: text(item['id'], 64),
    display_phone_number: text(item['display_phone_number'], 64),
    verified_name: text(item['verified_name'], 255),
    quality_rating: text(item['quality_rating'], 32),
    code_verification_status: text(item['code_verification_status'], 32),
    messaging_limit_tier:
      text(item['whatsapp_business_manager_messaging_limit'], 32) || text(item['messaging_limit_tier'], 32),
    throughput_mps: throughputByLevel[level] ?? defaultThroughput,
    status: text(item['status'], 32),
  };
}

/** Reads all templates of an account. */
export async function readTemplates(
  upstream: Upstream,
  accessToken: string,
  accountId: string,
): Promise<UpstreamTemplate[]> {
  const items = await upstream.list(accessToken, `${encodeURIComponent(accountId)}/message_templates`, {
    fields: templateFields,
  });
  return items.map(templateOf).filter((template) => template.template_id !== '');
}

/** Returns a template of the upstream in our columns; a reason is kept only while it is rejected (contract 6.6). */
function templateOf(item: Json): UpstreamTemplate {
  const status = text(item['status'], 32).toUpperCase();
  const reason = text(item['rejected_reason'], 255);
  return {
    template_id: text(item['id'], 64),
    name: text(item['name'], 512),
    language: text(item['language'], 32),
    status,
    category: text(item['category'], 32).toUpperCase(),
    components: Array.isArray(item['components']) ? item['components'] : [],
    parameter_format: text(item['parameter_format'], 16).toUpperCase() || 'POSITIONAL',
    rejected_reason: status === 'REJECTED' && reason.toUpperCase() !== 'NONE' ? reason : '',
    quality_score: text((item['quality_score'] as Json | null | undefined)?.['score'], 32),
  };
}

/** Text that fits its column; the upstream sends some ids as numbers and leaves out what is empty. */
function text(value: unknown, max: number): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? cut(value.replaceAll('\0', ''), max) : '';
}
