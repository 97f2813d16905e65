import { loadConfig, type Config } from '../api/core/config';
import { missingLimits } from '../api/core/db/connections';
import { prepareNamespace } from '../api/core/temporal/namespace';
import { migrateDatabase } from '../models/migrate';
import { explain } from './explain';

/**
 * `npm run migrate`: the schema first, then namespace and search attributes of Temporal. A Temporal that is
 * away or forbids them costs operators a filter and nothing else, so it is a warning; so is a pooler without limits.
 */
async function migrate(config: Config): Promise<void> {
  const say = (line: string): void => console.log(line);
  const applied = await migrateDatabase(config.databaseDirectUrl, { log: say });
  if (applied.length === 0) say('the database is at head');
  const problems: string[] = [];
  try {
    if (config.databasePooled) problems.push(...(await missingLimits(config.databaseUrl)));
  } catch (error) {
    problems.push(`the pooler that DATABASE_URL names cannot be reached (${oneLine(error)})`);
  }
  try {
    problems.push(...(await prepareNamespace(config, say)));
  } catch (error) {
    problems.push(
      `Temporal at ${config.temporal.address} cannot be reached (${oneLine(error)}); run this again when it is up`,
    );
  }
  for (const problem of problems) console.error(`warning: ${problem}`);
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

async function main(): Promise<void> {
  let config: Config | undefined;
  try {
    config = loadConfig(undefined, { optional: ['SECRETS_KEY'] });
    await migrate(config);
    process.exit(0);
  } catch (error) {
    console.error(`error: ${explain(error, config?.databaseDirectUrl)}`);
    process.exit(1);
  }
}

void main();
