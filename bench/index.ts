import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext } from './support/context';
import type { Figure, Line } from './support/figure';

const usage = `npm run bench -- [options]

  --quick        a small version of each figure, about a minute in all
  --only <name>  one figure; repeatable
  --list         the names of the figures
`;

interface Wanted {
  readonly quick: boolean;
  readonly list: boolean;
  readonly only: readonly string[];
}

function readArguments(argv: readonly string[]): Wanted | string {
  const only: string[] = [];
  let quick = false;
  let list = false;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index];
    if (word === '--quick') quick = true;
    else if (word === '--list') list = true;
    else if (word === '--only' && argv[index + 1]) only.push(argv[(index += 1)] as string);
    else return word === '--help' ? '' : `unknown argument ${word}`;
  }
  return { quick, list, only };
}

/** Every file of `figures` is one figure; a new file is all that a new one needs. */
async function loadFigures(): Promise<Figure[]> {
  const folder = path.join(__dirname, 'figures');
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .sort();
  return Promise.all(
    files.map(
      async (file) => ((await import(pathToFileURL(path.join(folder, file)).href)) as { figure: Figure }).figure,
    ),
  );
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Number.isInteger(value)
    ? String(value)
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2);
}

/** Returns the lines as a Markdown table, so that they can be kept as they are printed. */
function table(lines: readonly (Line & { readonly figure: string })[]): string {
  const rows = lines.map((line) => [
    line.figure,
    line.what,
    shown(line.value),
    line.baseline === undefined ? '' : shown(line.baseline),
    line.baseline === undefined ? '' : (line.value / line.baseline).toFixed(2),
    line.target ?? '',
    line.met === undefined ? '' : line.met ? 'met' : 'MISSED',
  ]);
  const head = ['figure', 'what', 'value', 'baseline', 'ratio', 'target', ''];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

async function main(): Promise<number> {
  const wanted = readArguments(process.argv.slice(2));
  if (typeof wanted === 'string') {
    process.stderr.write(wanted === '' ? usage : `${wanted}\n\n${usage}`);
    return wanted === '' ? 0 : 1;
  }
  const figures = await loadFigures();
  const unknown = wanted.only.filter((name) => !figures.some((figure) => figure.name === name));
  if (unknown.length > 0 || wanted.list) {
    if (unknown.length > 0) process.stderr.write(`No figure ${unknown.join(', ')}.\n`);
    process.stdout.write(`${figures.map((figure) => figure.name).join('\n')}\n`);
    return unknown.length > 0 ? 1 : 0;
  }
  const started = Date.now();
  const lines: (Line & { readonly figure: string })[] = [];
  let failed = false;
  for (const figure of figures.filter(
    (candidate) => wanted.only.length === 0 || wanted.only.includes(candidate.name),
  )) {
    const { context, close } = createContext(wanted.quick, (text) => process.stderr.write(`${figure.name}: ${text}\n`));
    try {
      lines.push(...(await figure.run(context)).map((line) => ({ ...line, figure: figure.name })));
    } catch (error) {
      failed = true;
      process.stderr.write(
        `${figure.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    } finally {
      await close();
    }
  }
  const machine =
    `${cpus().length} × ${cpus()[0]?.model.trim() || 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ` +
    `${process.versions.node}, ${process.platform} ${process.arch}`;
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  process.stdout.write(
    `${table(lines)}\n\n\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ` +
      `${Math.round((Date.now() - started) / 1000)} s, ${machine}\n`,
  );
  // A missed target of time is a figure to read, not a failure of the run: machines differ. A wrong count is one.
  return failed || lines.some(({ isFact, met }) => isFact === true && met === false) ? 1 : 0;
}

// By an ordinary exit: its handlers end the processes that a figure has started.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
