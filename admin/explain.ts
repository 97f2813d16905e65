import { AppError } from '../api/core/http/errors';
import { UpstreamError } from '../api/core/platform/upstream';

/** PostgreSQL's codes for what an operator can put right. */
const hints: Readonly<Record<string, string>> = {
  '42P01': 'The database has no tables of this service yet. Run `npm run migrate` first.',
  '42703': 'The database is older than this version of the service. Run `npm run migrate` first.',
  '28P01': 'The database refuses the user or the password. Check DATABASE_URL.',
  '28000': 'The database refuses the user or the password. Check DATABASE_URL.',
  '3D000': 'The database named in DATABASE_URL does not exist. Create it, or correct DATABASE_URL.',
  '53300': 'The database has no connection left. Try again shortly.',
  '57P03': 'The database is starting up. Try again shortly.',
};
const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ECONNRESET',
]);

const startIt = 'Start it (`npm start` brings its own), or set DATABASE_URL.';

/** Returns one line that says what went wrong and what to do about it. */
export function explain(error: unknown, databaseUrl?: string): string {
  if (error instanceof UpstreamError) {
    const token =
      error.code === 190 || error.status === 401
        ? ' Give the account a new token with `workspace update ID --access-token -`.'
        : '';
    // The platform's own words end with a full stop or without.
    const told = error.message.replace(/[^.!?]$/, '$&.');
    return `The platform refused the request (code ${error.code}): ${told}${token}`;
  }
  if (error instanceof AppError) return error.message;
  const chain = causes(error);
  for (const { code } of chain) {
    const hint = code === undefined ? undefined : hints[code];
    if (hint) return hint;
  }
  const away = chain.find(({ code }) => code !== undefined && unreachable.has(code));
  if (away && chain.some(({ name }) => name?.startsWith('Sequelize'))) {
    return `The database at ${hostOf(databaseUrl)} cannot be reached (${away.code}). ${startIt}`;
  }
  if (away) return `The platform cannot be reached (${away.code}). Check MSGAPP_API_URL.`;
  if (chain.some(({ name }) => name?.startsWith('SequelizeConnection'))) {
    return `The database at ${hostOf(databaseUrl)} does not answer. ${startIt}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Names and codes of an error and of what caused it. */
function causes(error: unknown): { name?: string; code?: string }[] {
  const chain: { name?: string; code?: string }[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && chain.length < 20) {
    const current = waiting.shift();
    if (typeof current !== 'object' || current === null) continue;
    const { name, code, cause, parent, errors } = current as {
      name?: unknown;
      code?: unknown;
      cause?: unknown;
      parent?: unknown;
      errors?: unknown;
    };
    chain.push({ ...(typeof name === 'string' ? { name } : {}), ...(typeof code === 'string' ? { code } : {}) });
    waiting.push(cause, parent, ...(Array.isArray(errors) ? (errors as unknown[]) : []));
  }
  return chain;
}

function hostOf(databaseUrl: string | undefined): string {
  try {
    return new URL(databaseUrl ?? '').host;
  } catch {
    return 'DATABASE_URL';
  }
}
