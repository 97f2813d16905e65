import { routes, type Resources } from './generated.js';
import { Http, type ClientSettings, type ConditionalOptions, type KeyedOptions } from './http.js';
import { Pages } from './pages.js';

/** A file of a message. */
export interface Download {
  readonly type: string;
  readonly filename: string | null;
  readonly body: ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
}

/** A file to upload, with the name that customers see. */
export interface Upload {
  readonly file: Blob;
  readonly filename?: string;
}

/** All operations that an API key can call, by resource. */
export type Msgdesk = Resources;

type Route = (typeof routes)[keyof typeof routes];
type Rest = readonly unknown[];

/** Makes a client of one workspace. */
export function createClient(settings: ClientSettings): Msgdesk {
  const http = new Http(settings);
  const client: Record<string, Record<string, unknown>> = {};
  for (const [id, route] of Object.entries(routes)) {
    const [resource = '', name = ''] = id.split('.');
    (client[resource] ??= {})[name] = (...given: Rest) => call(http, route, given);
  }
  return client as unknown as Msgdesk;
}

/** Takes the parts of the path, then body or query, then options. */
function call(http: Http, [method, template, kind, carries, isKeyed]: Route, given: Rest): unknown {
  const values = [...given];
  const path = template.replace(/\{\w+\}/g, (name) => {
    const value = values.shift();
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing.`);
    return encodeURIComponent(String(value as string | number));
  });
  const carried = carries === '' ? undefined : values.shift();
  const options = (values.shift() ?? {}) as KeyedOptions & ConditionalOptions;
  const request = {
    method,
    path,
    isKeyed,
    options,
    ...(carries === 'query' ? { query: (carried ?? {}) as Record<string, unknown> } : {}),
    ...(carries === 'body' ? { body: carried ?? {} } : {}),
    ...(carries === 'file' ? { body: formOf(carried as Upload) } : {}),
  };
  if (kind === 'pages') return new Pages(http, request);
  return kind === 'file' ? download(http, request) : http.object(request);
}

function formOf({ file, filename }: Upload): FormData {
  const form = new FormData();
  if (filename === undefined) form.append('file', file);
  else form.append('file', file, filename);
  return form;
}

async function download(http: Http, request: Parameters<Http['send']>[0]): Promise<Download> {
  const answer = await http.send(request);
  const { headers, body } = answer;
  const named = /filename\*=UTF-8''([^;]+)/i.exec(headers.get('content-disposition') ?? '')?.[1];
  return {
    type: headers.get('content-type') ?? 'application/octet-stream',
    filename: named === undefined ? null : decodeURIComponent(named),
    body: body as ReadableStream<Uint8Array>,
    bytes: async () => new Uint8Array(await answer.arrayBuffer()),
  };
}
