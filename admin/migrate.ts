import { loadConfig, type Config } from '../api/core/config';
import { prepareNamespace } from '../api/core/temporal';
import { migrateDatabase } from '../models/migrate';
import { explain } from './explain';

/**
 * `npm run migrate`: the schema first, then the workflow engine's search attributes. An engine that is away or forbids
 * them costs operators a filter and nothing else, so it is a warning.
 */
async function migrate(config: Config): Promise<void> {
  const say = (line: string): void => console.log(line);
  const applied = await migrateDatabase(config.databaseUrl, { log: say });
  if (applied.length === 0) say('the database is at head');
  let problems: string[];
  try {
    problems = await prepareNamespace(config, say);
  } catch (error) {
    problems = [
      `Temporal at ${config.temporal.address} cannot be reached (${oneLine(error)}); run this again when it is up`,
    ];
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
    console.error(`error: ${explain(error, config?.databaseUrl)}`);
    process.exit(1);
  }
}

void main();
