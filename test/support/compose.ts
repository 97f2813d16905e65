import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { root } from './settings';

/** A service of docker-compose.yml, as far as the tests look at it. */
interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: string | readonly string[];
  readonly entrypoint?: string | readonly string[];
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
  readonly shm_size?: string;
  readonly mem_limit?: string;
  readonly profiles?: readonly string[];
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

/** Returns the words of a command, which Compose takes as a list or as one line that a shell would split. */
export function wordsOf(command: string | readonly string[] = []): readonly string[] {
  if (typeof command !== 'string') return command;
  if (/[\\`;&|<>]/.test(command)) throw new Error(`write this command as a list of words: ${command}`);
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** What Compose would start: the words of the command, and its environment. */
export function commandOf(
  name: string,
  env: Readonly<Record<string, string>>,
): { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const service = composeFile.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  const words = [...wordsOf(service.entrypoint), ...wordsOf(service.command)].map((word) => fill(word, env));
  const filled = Object.entries(service.environment ?? {}).map(([key, value]) => [key, fill(String(value), env)]);
  return { words, env: Object.fromEntries(filled) as Record<string, string> };
}
