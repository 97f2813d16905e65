import path from 'node:path';
import { startChild, type Child, type OnLine } from '../lib/children';

/** What the service's workflows are found by; `npm run migrate` registers the same on a server of one's own. */
const searchAttributes = {
  WorkspaceId: 'Keyword',
  ConversationId: 'Keyword',
  TicketId: 'Keyword',
  BroadcastId: 'Keyword',
};

/** Workflows carry a priority and their workspace as fairness key: the server goes by them only when told to. */
export const dynamicConfig: Readonly<Record<string, boolean>> = {
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
};

/** What a dev server is started with. */
export interface TemporalSettings {
  readonly cli: string;
  readonly port: number;
  /** Absent: no Web UI. */
  readonly uiPort?: number;
  readonly dbFile: string;
  readonly namespace: string;
  readonly searchAttributes: Readonly<Record<string, string>>;
  readonly dynamicConfig: Readonly<Record<string, boolean>>;
  /** In hours, as the server shows it. */
  readonly retention: string;
  /** SQLite's. */
  readonly synchronous: 'NORMAL' | 'OFF';
}

type Given = Pick<TemporalSettings, 'cli' | 'port' | 'uiPort' | 'dbFile'> &
  Partial<Pick<TemporalSettings, 'namespace' | 'synchronous'>>;

/** Starts a Temporal dev server and returns its handle; `waitReady` says when it serves. */
export function startTemporal({ onLine, ...given }: Given & { readonly onLine: OnLine }): Child {
  const settings: TemporalSettings = {
    namespace: 'default',
    synchronous: 'NORMAL',
    retention: '720h',
    searchAttributes,
    dynamicConfig,
    ...given,
  };
  return startChild({
    name: 'temporal',
    script: path.join(__dirname, 'server.js'),
    args: [JSON.stringify(settings)],
    env: process.env,
    onLine,
  });
}
