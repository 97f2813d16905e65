import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { registrations } from '../../admin/cli';
import { root } from '../support/settings';

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SCALING.md'],
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'contract.md')
    .map((name) => `docs/${name}`),
];

/** The admin CLI with all its commands, of which none can be run. */
const program = new Command();
const never = (): never => {
  throw new Error('no command is run here');
};
for (const register of registrations)
  register(program, { run: never, note: never, draw: never, secret: never, json: never });
const groups = program.commands.map((command) => command.name());

/** Loops of the workers whose names begin as commands do. */
const loops = ['webhook fan-out'];

interface Code {
  readonly text: string;
  /** The language of a block; null for code within a line. */
  readonly language: string | null;
}

function codeOf(document: string): Code[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)];
  const rest = blocks.reduce((left, [block]) => left.replace(block, ''), text);
  return [
    ...blocks.map(([, language = '', code = '']) => ({ text: code.replace(/\\\n\s*/g, ' '), language })),
    ...[...rest.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ text: code.replace(/\s+/g, ' '), language: null })),
  ];
}

/** The command lines of the admin CLI in a document, each as its words. */
function commandsOf(document: string): string[][] {
  return codeOf(document).flatMap(({ text, language }) => {
    const called = [...text.matchAll(/(?:npm run (?:--silent )?admin --|dist\/admin\/index\.js) +([^\n|;&<>()]+)/g)];
    const lines = called.map(([, line = '']) => line);
    // Within a line the beginning is often left out.
    const [first = '', second = ''] = text.split(' ');
    if (language === null && groups.includes(first) && /^[a-z-]+$/.test(second) && !loops.includes(text))
      lines.push(text);
    return lines.map((line) => line.trim().split(/\s+/));
  });
}

/** Says what of a command line the CLI does not know; null: nothing. */
function unknownIn(words: readonly string[]): string | null {
  let command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const found = command.commands.find((one) => one.name() === words[at]);
    if (!found) break;
    command = found;
  }
  const next = words[at] ?? '';
  const isOpen = command.commands.length > 0;
  if (isOpen && next !== '' && next !== '…' && !next.startsWith('--')) return `no command "${next}"`;
  const known = [...command.options.map(({ long }) => long), '--json', '--help'];
  const option = words.slice(at).find((word) => /^--[a-z]/.test(word) && !known.includes(word.split('=')[0] ?? ''));
  return option === undefined || option === words[0] ? null : `no option ${option}`;
}

it.each(documents)('the admin commands of %s are there, with their options', (document) => {
  const wrong = commandsOf(document).flatMap((words) => {
    const what = unknownIn(words);
    return what === null ? [] : [`${words.join(' ')}: ${what}`];
  });
  expect(wrong).toEqual([]);
});

it('there are such commands', () => {
  expect(documents.flatMap(commandsOf).length).toBeGreaterThan(90);
});

it.each(documents)('bash can read the commands of %s', (document) => {
  const wrong = codeOf(document).flatMap(({ text, language }) => {
    if (language !== 'sh') return [];
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    return status === 0 ? [] : [`${text}\n${stderr}`];
  });
  expect(wrong).toEqual([]);
});
