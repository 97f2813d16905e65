import { cut } from '../text/cut';
type Json = Record<string, unknown>;

/** What became of one attempt to send (upstream 1.5, 1.6). */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      readonly wamid: string;
      readonly waId?: string;
      readonly userId?: string;
      /** The platform took it and holds it back, to look at the template's quality first. */
      readonly held?: true;
    }
  /** `retry`: nothing was sent and a later try may succeed. `stop`: the whole number or account is refused. */
  | {
      readonly kind: 'rejected';
      readonly class: 'retry' | 'permanent' | 'stop';
      /** The HTTP status; none where the upstream could not be reached. */
      readonly status?: number;
      readonly code: number;
      readonly title: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** It is unknown whether the request was processed: it is never sent again. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Codes of the platform that the service answers by more than their class (upstream 1.6). */
export const codes = Object.freeze({
  /** Ours: no connection could be made. */
  notReached: -1,
  numberGone: 33,
  /** More messages than the number's throughput. */
  tooFast: 130429,
  /** Too many messages to one customer; others are not affected. */
  pairRate: 131056,
  maintenance: 131057,
  windowClosed: 131047,
  marketingStopped: 131050,
  /** The template takes another number of values, or other kinds, than it is stored here. */
  parameterCount: 132000,
  parameterFormat: 132012,
  /** The template does not exist as it is stored here. */
  templateUnknown: 132001,
  templatePaused: 132015,
  templateDisabled: 132016,
});

/** Limits on the whole number or account that say nothing of a recipient: broadcasts wait for their end. */
export const limitsOfSender: ReadonlySet<number> = new Set([131037, 131048, 131063, 131064]);

const retryCodes = new Set([1, 2, 4, 17, 613, 80007, 80008, 130429, 131056, 131000, 131016, 131057, 133004, 132069]);
const stopCodes = new Set([0, 190, 10, 368, 131031, 131042, 131045, 133010, 104, 3, 131005]);

/** Refused for good, as everything is that has no other class: listed so that each is counted by its number. */
const permanentCodes = new Set([
  33, 100, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131037, 131047, 131048, 131049, 131050, 131051,
  131052, 131053, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018,
  132068, 135000, 137000,
]);

/** An outcome that says that nothing was done. */
export type Refused = Extract<SendOutcome, { kind: 'rejected' }>;

/** Returns whether the platform is known to answer a code. */
export function isKnownCode(code: number): boolean {
  return classify(code) !== 'permanent' || permanentCodes.has(code);
}

/** Returns the class of an upstream error code (upstream 1.6). */
export function classify(code: number): 'retry' | 'permanent' | 'stop' {
  if (retryCodes.has(code)) return 'retry';
  if (stopCodes.has(code) || (code >= 200 && code <= 299)) return 'stop';
  return 'permanent';
}

/** What `message_status` of an accepted message says where it is not on its way yet (upstream 1.5). */
const heldWords: readonly unknown[] = ['held_for_quality_assessment', 'paused'];

/** Reads the answer to a send: the platform's code decides, not the HTTP status (upstream 1.6). */
export function readSendAnswer(status: number, body: string, retryAfter?: string): SendOutcome {
  const parsed = parseJson(body);
  if (status >= 200 && status < 300) {
    const message = (parsed?.['messages'] as Json[] | undefined)?.[0];
    const contact = (parsed?.['contacts'] as Json[] | undefined)?.[0];
    const wamid = message?.['id'];
    if (typeof wamid !== 'string' || wamid === '')
      return { kind: 'unknown', reason: 'The upstream accepted the request without giving a message id.' };
    return {
      kind: 'accepted',
      wamid,
      ...(heldWords.includes(message?.['message_status']) ? { held: true as const } : {}),
      ...(typeof contact?.['wa_id'] === 'string' ? { waId: contact['wa_id'] } : {}),
      ...(typeof contact?.['user_id'] === 'string' ? { userId: contact['user_id'] } : {}),
    };
  }
  const fault = errorOf(parsed);
  const seconds = retryAfter && /^\d{1,6}$/.test(retryAfter.trim()) ? Number(retryAfter) : undefined;
  if (!fault) {
    // A 4xx was refused before it was processed; a 5xx without a readable error may have been sent.
    if (status >= 500)
      return { kind: 'unknown', reason: `The upstream answered with status ${status} and no readable error.` };
    return {
      kind: 'rejected',
      class: status === 429 ? 'retry' : 'permanent',
      status,
      code: status,
      title: `HTTP ${status}`,
      message: 'The upstream refused the request without a readable error.',
      ...(seconds ? { retryAfterMs: seconds * 1000 } : {}),
    };
  }
  return { ...refusalOf(status, fault), ...(seconds ? { retryAfterMs: seconds * 1000 } : {}) };
}

/** Returns the refusal that an error of the platform is. */
export function refusalOf(status: number, { code, title, message }: NonNullable<ReturnType<typeof errorOf>>): Refused {
  return { kind: 'rejected', class: classify(code), status, code, title, message };
}

export function parseJson(body: string): Json | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

export function errorOf(
  parsed: Json | null,
): { code: number; title: string; message: string; subcode: number | null } | null {
  const fault = parsed?.['error'] as Json | undefined;
  if (typeof fault !== 'object' || fault === null || typeof fault['code'] !== 'number') return null;
  const title = typeof fault['message'] === 'string' ? fault['message'] : 'Error';
  const data = fault['error_data'];
  const details =
    typeof data === 'string' ? data : typeof data === 'object' && data !== null ? (data as Json)['details'] : undefined;
  return {
    code: fault['code'],
    subcode: typeof fault['error_subcode'] === 'number' ? fault['error_subcode'] : null,
    title: cut(title, 255),
    message: typeof details === 'string' && details !== '' ? details : title,
  };
}
