import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { searchAttributeNames } from '../../../workflows/contract';
import type { Config } from '../config';
import { connectionOptions } from './client';

const daySeconds = 86_400;
/**
 * How long a namespace that we make keeps what has ended, unless it is set: rows are the record, this is to look back.
 */
const newRetentionDays = 7;
/** A new namespace reaches all parts of the server within seconds. */
const knownWithinMs = 60_000;
const connectWithinMs = 10_000;
const notFound = 5;

/**
 * Creates the namespace if it does not exist, registers the search attributes, and sets the retention if a setting asks
 * for it. Returns as sentences what could not be done. Managed servers often forbid all of this, which costs operators
 * a filter and nothing else.
 */
export async function prepareNamespace(config: Config, log: (line: string) => void): Promise<string[]> {
  const connection = await Connection.connect({
    ...(await connectionOptions(config)),
    connectTimeout: connectWithinMs,
  } as Parameters<typeof Connection.connect>[0]);
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  try {
    let isNew = false;
    await attempt('the namespace could not be made', async () => {
      isNew = await makeNamespace(connection, config, log);
    });
    await attempt('search attributes could not be registered', () =>
      registerAttributes(connection, config.temporal.namespace, isNew ? knownWithinMs : 0, log),
    );
    if (config.temporal.retentionDays > 0 && !isNew)
      await attempt("the namespace's retention could not be set", () => setRetention(connection, config, log));
  } finally {
    await connection.close();
  }
  return problems;
}

async function makeNamespace(connection: Connection, config: Config, log: (line: string) => void): Promise<boolean> {
  const { namespace, retentionDays } = config.temporal;
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code !== notFound) throw error;
  }
  const days = retentionDays || newRetentionDays;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: duration(days) });
  log(`made the namespace ${namespace}; it keeps what has ended for ${days} days`);
  return true;
}

async function registerAttributes(
  connection: Connection,
  namespace: string,
  patienceMs: number,
  log: (line: string) => void,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      const listed = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = searchAttributeNames.filter((name) => !listed.customAttributes?.[name]);
      if (missing.length === 0) return;
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(
          missing.map((name) => [name, temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD]),
        ),
      });
      log(`registered search attributes ${missing.join(', ')}`);
      return;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Sets what the settings say, up or down; without one an operator's own choice stays. */
async function setRetention(connection: Connection, config: Config, log: (line: string) => void): Promise<void> {
  const { namespace, retentionDays } = config.temporal;
  const { config: known } = await connection.workflowService.describeNamespace({ namespace });
  if (Number(known?.workflowExecutionRetentionTtl?.seconds ?? 0) === retentionDays * daySeconds) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: duration(retentionDays) },
  });
  log(`set the retention of namespace ${namespace} to ${retentionDays} days`);
}

type Duration = NonNullable<
  Parameters<Connection['workflowService']['registerNamespace']>[0]['workflowExecutionRetentionPeriod']
>;

function duration(days: number): Duration {
  return { seconds: (days * daySeconds) as unknown as Duration['seconds'] };
}
