import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { root } from './settings';

/** A service of docker-compose.yml, as far as the tests look at it. */
interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas?: number };
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
}

export const composeText = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
export const composeFile = safeLoad(composeText) as { readonly services: Readonly<Record<string, ComposeService>> };

/** Fills in variables as Compose does: from `.env`, else by default; a required one that is missing is an error. */
export function fill(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::(-|\?)([^}]*))?\}/g, (_match, name: string, kind?: string, rest?: string) => {
    const value = env[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name}: ${rest ?? ''}`);
    return kind === '-' ? (rest ?? '') : '';
  });
}

/** What Compose would start: the words of the command, and its environment. */
export function commandOf(
  name: string,
  env: Readonly<Record<string, string>>,
): { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const service = composeFile.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  const words = [...(service.entrypoint ?? []), ...(service.command ?? [])].map((word) => fill(word, env));
  const filled = Object.entries(service.environment ?? {}).map(([key, value]) => [key, fill(String(value), env)]);
  return { words, env: Object.fromEntries(filled) as Record<string, string> };
}
