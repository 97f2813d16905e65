import { isObject, textOf, type Random } from '../util';
import type { JsonObject } from '../types';

/**
 * What can go wrong on purpose. The `_after_accept` kinds really accept the message (statuses follow), so the
 * caller cannot know; the others leave no trace.
 */
const faultKinds = [
  'hang',
  'hang_after_accept',
  'reset',
  'reset_after_accept',
  'html',
  'html_after_accept',
  'no_id',
  'error',
  'async_error',
  'latency',
  'held_then_dropped',
  'held_then_sent',
  'sent_only',
  'no_status',
] as const;
type FaultKind = (typeof faultKinds)[number];

const aliases: Record<string, FaultKind> = {
  accept_then_reset: 'reset_after_accept',
  reset_before: 'reset',
  '5xx': 'html',
  '200_without_id': 'no_id',
};

export interface Fault {
  id: number;
  kind: FaultKind;
  to: string[] | null;
  phone_number_id: string | null;
  /** For requests other than sends: the fault applies to paths that contain this. */
  path: string | null;
  method: string | null;
  times: number | null;
  ratio: number;
  code: number;
  status: number | null;
  retry_after: string | null;
  delay_ms: number;
  details: string | null;
  hits: number;
}

interface SendTarget {
  /** Digits of the phone, or the business-scoped id, or the group id. */
  to: string;
  alternative?: string;
  phone_number_id: string;
}

/** Armed faults, in the order of their creation; the first that matches wins. */
export class Faults {
  private list: Fault[] = [];
  private nextId = 1;
  private readonly flaky = new Set<string>();

  constructor(
    private readonly random: Random,
    private readonly changed: () => void,
  ) {}

  all(): Fault[] {
    return this.list;
  }

  add(input: JsonObject): Fault {
    const asked = textOf(input['kind']) ?? '';
    const kind = aliases[asked] ?? (faultKinds as readonly string[]).find((name) => name === asked);
    if (!kind) throw new Error(`kind must be one of ${faultKinds.join(', ')}`);
    const match = isObject(input['match']) ? { ...input, ...input['match'] } : input;
    const to =
      match['to'] === undefined || match['to'] === null
        ? null
        : (Array.isArray(match['to']) ? match['to'] : [match['to']]).map((item) => normalTarget(String(item)));
    const fault: Fault = {
      id: this.nextId,
      kind: kind as FaultKind,
      to,
      phone_number_id: textOf(match['phone_number_id']) ?? null,
      path: textOf(match['path']) ?? null,
      method: textOf(match['method'])?.toUpperCase() ?? null,
      times: typeof input['times'] === 'number' ? input['times'] : null,
      ratio: typeof input['ratio'] === 'number' ? input['ratio'] : 1,
      code: Number(input['code'] ?? (kind === 'async_error' ? 131026 : 131000)),
      status: typeof input['status'] === 'number' ? input['status'] : null,
      retry_after: textOf(input['retry_after']) ?? null,
      delay_ms: Number(input['delay_ms'] ?? 1000),
      details: textOf(input['details']) ?? null,
      hits: 0,
    };
    this.nextId += 1;
    this.list.push(fault);
    this.changed();
    return fault;
  }

  clear(id?: number): void {
    this.list = id === undefined ? [] : this.list.filter((fault) => fault.id !== id);
    if (id === undefined) this.flaky.clear();
    this.changed();
  }

  /** Returns true while the fault can still fire. */
  isArmed(fault: Fault): boolean {
    return fault.times === null || fault.hits < fault.times;
  }

  /** Returns the fault for this send, from the armed ones or from the recipient's own magic number. */
  forSend(target: SendTarget): Fault | undefined {
    const armed =
      this.list.length > 0 ? this.find((fault) => fault.path === null && fitsSend(fault, target)) : undefined;
    return armed ?? this.magic(target);
  }

  /** Returns the fault for any other request, and for sends when it names a path. */
  forPath(method: string, path: string): Fault | undefined {
    if (this.list.length === 0) return undefined;
    return this.find(
      (fault) => fault.path !== null && path.includes(fault.path) && (fault.method === null || fault.method === method),
    );
  }

  private find(fits: (fault: Fault) => boolean): Fault | undefined {
    for (const fault of this.list) {
      if (!this.isArmed(fault)) continue;
      if (!fits(fault)) continue;
      if (fault.ratio < 1 && this.random() >= fault.ratio) continue;
      fault.hits += 1;
      this.changed();
      return fault;
    }
    return undefined;
  }

  private magic(target: SendTarget): Fault | undefined {
    for (const identity of [target.to, target.alternative]) {
      if (!identity) continue;
      const code = /^15000(\d{6})$/.exec(identity) ?? /^[A-Z]{2}\.FAIL(\d{1,6})$/.exec(identity);
      if (code) return magicFault('error', Number(code[1]));
      const behaviour = /^1501\d{5}(\d\d)$/.exec(identity) ?? /^[A-Z]{2}\.magicFaults(\d\d)$/.exec(identity);
      if (!behaviour) continue;
      if (behaviour[1] === '08') {
        const key = `${target.phone_number_id}|${identity}`;
        if (this.flaky.has(key)) return undefined;
        this.flaky.add(key);
        return magicFault('error', 131000);
      }
      return magicFaults[behaviour[1] as string];
    }
    return undefined;
  }
}

function magicFault(kind: FaultKind, code = 0, more: Partial<Fault> = {}): Fault {
  return {
    id: 0,
    kind,
    to: null,
    phone_number_id: null,
    path: null,
    method: null,
    times: null,
    ratio: 1,
    code,
    status: null,
    retry_after: null,
    delay_ms: 0,
    details: null,
    hits: 0,
    ...more,
  };
}

/** Behaviours of +1501xxxxxNN by their last two digits. */
const magicFaults: Record<string, Fault> = {
  '01': magicFault('hang'),
  '02': magicFault('reset_after_accept'),
  '03': magicFault('reset'),
  '04': magicFault('html', 0, { status: 502 }),
  '05': magicFault('no_id'),
  '06': magicFault('latency', 0, { delay_ms: 5000 }),
  '07': magicFault('error', 130429, { status: 429, retry_after: '2' }),
  '09': magicFault('html_after_accept', 0, { status: 502 }),
  '10': magicFault('hang_after_accept'),
  '11': magicFault('sent_only'),
  '12': magicFault('no_status'),
  '13': magicFault('held_then_dropped'),
  '14': magicFault('held_then_sent'),
};

/** Shown by the page and by `GET /_control/faults`. */
export const magicHelp: Record<string, string> = {
  '+1500 0CCCCCC or CC.FAILcode':
    'Graph error with code CCCCCC (zero-padded); codes that upstream reports later fail asynchronously',
  '+1501 xxxxx 01 or CC.MAGIC01': 'hang: never answered, not accepted',
  '+1501 xxxxx 02': 'accepted, then the connection is reset',
  '+1501 xxxxx 03': 'connection reset, not accepted',
  '+1501 xxxxx 04': '502 with an HTML body, not accepted',
  '+1501 xxxxx 05': 'accepted, 200 without a message id',
  '+1501 xxxxx 06': 'accepted, answered after 5 s',
  '+1501 xxxxx 07': '429, code 130429, Retry-After: 2',
  '+1501 xxxxx 08': 'first attempt fails with 131000, later ones succeed',
  '+1501 xxxxx 09': 'accepted, then 502 with an HTML body',
  '+1501 xxxxx 10': 'accepted, never answered',
  '+1501 xxxxx 11': 'only the status sent ever comes',
  '+1501 xxxxx 12': 'no status ever comes',
  '+1501 xxxxx 13': 'template held for quality assessment, then failed with 132015',
  '+1501 xxxxx 14': 'template held for quality assessment, then released',
};

function normalTarget(value: string): string {
  return /^[\d\s()+-]+$/.test(value) ? value.replace(/\D/g, '') : value;
}

function fitsSend(fault: Fault, target: SendTarget): boolean {
  if (fault.phone_number_id !== null && fault.phone_number_id !== target.phone_number_id) return false;
  return (
    fault.to === null ||
    fault.to.includes(target.to) ||
    (target.alternative !== undefined && fault.to.includes(target.alternative))
  );
}

/** Returns an HTML page as a broken proxy in front of the platform would send it. */
export function htmlErrorPage(status: number): string {
  const body = `<h1>Sorry, something went wrong.</h1><p>${status}</p>`;
  return `<!DOCTYPE html><html><head><title>Error</title></head><body>${body}</body></html>`;
}
