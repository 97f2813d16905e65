import { cut } from '../../../core/text/cut';
import { flowStatuses } from '../../../../models/enums';
import { storable } from '../../../core/http/jsonbText';
import { isUnknownObject, type Upstream } from '../../../core/platform/upstream';

type Json = Record<string, unknown>;

const listFields =
  'id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,' +
  'preview.invalidate(false),updated_at';
/** Longest flow definition that is kept. */
const maxFlowJson = 2 * 1024 * 1024;

/** A flow of the upstream in our columns. */
export interface UpstreamFlow {
  readonly flow_id: string;
  readonly name: string;
  /** Null for an unknown status; the stored one then stays. */
  readonly status: string | null;
  readonly categories: unknown;
  readonly validation_errors: unknown;
  readonly json_version: string;
  readonly data_api_version: string;
  readonly endpoint_uri: string;
  readonly preview_url: string;
  readonly preview_expires_at: string | null;
  readonly changed_at: string | null;
  /** Undefined: not read, what is stored stays. */
  readonly flow_json?: unknown;
}

/** Reads all flows of an account, without their definitions. */
export async function readFlows(upstream: Upstream, accessToken: string, accountId: string): Promise<UpstreamFlow[]> {
  const items = await upstream.list(accessToken, `${encodeURIComponent(accountId)}/flows`, { fields: listFields });
  return items.map(flowOf).filter((flow) => flow.flow_id !== '');
}

/**
 * Reads one flow; null when the account has none with this id. A token may open several accounts, and another one's
 * flow is not this workspace's.
 */
export async function readFlow(
  upstream: Upstream,
  accessToken: string,
  accountId: string,
  flowId: string,
  signal: AbortSignal,
): Promise<UpstreamFlow | null> {
  let item: Json;
  try {
    item = await upstream.get(
      accessToken,
      encodeURIComponent(flowId),
      { fields: `${listFields},whatsapp_business_account` },
      signal,
    );
  } catch (error) {
    if (isUnknownObject(error)) return null;
    throw error;
  }
  const owner = (item['whatsapp_business_account'] as Json | null | undefined)?.['id'];
  return String(owner) === accountId && String(item['id']) === flowId ? flowOf(item) : null;
}

/** Reads the definition of a flow: a short-lived link first, then what is behind it. */
export async function readFlowJson(
  upstream: Upstream,
  accessToken: string,
  flowId: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const answer = await upstream.get(accessToken, `${encodeURIComponent(flowId)}/assets`, {}, signal);
  const assets = Array.isArray(answer['data']) ? (answer['data'] as Json[]) : [];
  const link = assets.find((asset) => asset['asset_type'] === 'FLOW_JSON')?.['download_url'];
  if (typeof link !== 'string') return null;
  const definition = storable(await upstream.asset(link, signal));
  return JSON.stringify(definition).length > maxFlowJson ? null : definition;
}

function flowOf(item: Json): UpstreamFlow {
  const preview = (item['preview'] ?? {}) as Json;
  const status = text(item['status'], 16).toUpperCase();
  const url = text(preview['preview_url'], 2_048);
  return {
    flow_id: text(item['id'], 64),
    name: text(item['name'], 255),
    status: (flowStatuses as readonly string[]).includes(status) ? status : null,
    categories: Array.isArray(item['categories']) ? storable(item['categories']) : [],
    validation_errors: Array.isArray(item['validation_errors']) ? storable(item['validation_errors']) : [],
    json_version: text(item['json_version'], 16),
    data_api_version: text(item['data_api_version'], 16),
    endpoint_uri: text(item['endpoint_uri'] ?? item['data_channel_uri'], 2_048),
    // A link that does not fit its column is left out: cut off it would lead nowhere.
    preview_url: url.length > 512 ? '' : url,
    preview_expires_at: instant(preview['expires_at']),
    changed_at: instant(item['updated_at']),
  };
}

/** Returns the upstream's times as ISO 8601: text with an offset, or seconds. */
function instant(raw: unknown): string | null {
  const at = typeof raw === 'number' ? raw * 1_000 : typeof raw === 'string' ? Date.parse(raw) : Number.NaN;
  return Number.isFinite(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString() : null;
}

/** Text that fits its column; the upstream sends some ids as numbers and leaves out what is empty. */
function text(value: unknown, max: number): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? cut(value.replaceAll('\0', ''), max) : '';
}
