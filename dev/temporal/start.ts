import path from 'node:path';
import { startChild, type Child, type OnLine } from '../lib/children';

/** What the service's workflows are found by; `npm run migrate` registers the same on a server of one's own. */
const searchAttributes = {
  WorkspaceId: 'Keyword',
  ConversationId: 'Keyword',
  TicketId: 'Keyword',
  BroadcastId: 'Keyword',
  RuleId: 'Keyword',
  Waits: 'Keyword',
};

type DynamicConfig = Readonly<Record<string, boolean | number>>;

/**
 * What every Temporal of ours is told, as `ops/temporal/dynamic.yaml` tells that of the topology. Workflows carry a
 * priority and their workspace as fairness key: the server goes by them only when told to, and only among the tasks of
 * one partition of a queue. With several partitions a task can also wait while a worker asks at another one.
 */
export const dynamicConfig: DynamicConfig = {
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

/**
 * What a dev server is told besides. By itself it reads search attributes and namespace from its only connection to
 * SQLite at each start, signal and end of a workflow; without that they are refreshed at least once a minute. And its
 * only history shard is asked for new tasks at most twenty times a second, so that in a series of workflows each one
 * waits for its turn.
 */
export const devServerConfig: DynamicConfig = {
  ...dynamicConfig,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
  'history.transferProcessorMaxPollRPS': 1_000,
  'history.timerProcessorMaxPollRPS': 1_000,
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
  readonly dynamicConfig: DynamicConfig;
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
    dynamicConfig: devServerConfig,
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
