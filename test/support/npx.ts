import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the environment for programs that npx brings. They keep what they remember in the run's folder, npm its
 * settings and downloads where it always does.
 */
export function npxEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    npm_config_loglevel: 'error',
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    HOME: process.env['TEST_TMP'] ?? homedir(),
  };
}
