import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..');
const folders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench', 'test'];
const sources = folders
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.(tsx?|cjs|mjs|js)$/.test(file) && file !== 'test/citations.test.ts');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The numbers of a document's headings: `## 6 Conversations`, `### 6.2 Status`. */
function sectionsOf(file: string): Set<string> {
  return new Set([...read(file).matchAll(/^#{2,3} (\d+(?:\.\d+)*) /gm)].map((match) => match[1] ?? ''));
}

/** Sections that a source cites: `contract 6.2`, `contract 6.2, 7`. */
function cited(text: string, document: 'contract' | 'upstream'): string[] {
  const found = text.matchAll(new RegExp(`\\b${document} (\\d+(?:\\.\\d+)*(?:, \\d+(?:\\.\\d+)*)*)`, 'g'));
  return [...found].flatMap((match) => (match[1] ?? '').split(', '));
}

describe('what the code cites', () => {
  it.each(['contract', 'upstream'] as const)('is a section of docs/%s.md', (document) => {
    const sections = sectionsOf(`docs/${document}.md`);
    expect(sections.size).toBeGreaterThan(10);

    const dangling = sources.flatMap((file) =>
      cited(read(file), document)
        .filter((section) => !sections.has(section))
        .map((section) => `${file}: ${document} ${section}`),
    );
    expect(dangling).toEqual([]);
  });

  it('is a document of this repository', () => {
    const outside = sources.flatMap((file) =>
      [...read(file).matchAll(/\b(?:specification|contract) C?\d|[\w./-]+\.md\b/g)]
        .map(([citation]) => citation)
        .filter((citation) => !isHere(file, citation))
        .map((citation) => `${file}: ${citation}`),
    );
    expect(outside).toEqual([]);
  });

  it('is a test that exists, where a document names the test of a promise', () => {
    const documents = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'docs/operate.md',
      'docs/runbook.md',
    ];
    const named = documents.flatMap((file) =>
      [...read(file).matchAll(/\btest\/[\w/]+\.test\.ts\b/g)].map(([name]) => ({ file, name })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ name }) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  it('is a file and a function that exist, where a trace names its steps, six at most', () => {
    const traces = read('docs/traces.md').split(/^## /m).slice(1);
    expect(traces).toHaveLength(5);
    for (const trace of traces) {
      const steps = [...trace.matchAll(/^\d\. `([\w./-]+)`, `([\w.]+)`:/gm)].map(([, file = '', name = '']) => [
        file,
        name,
      ]);
      expect(steps).toHaveLength(6);
      expect(steps).toHaveLength([...trace.matchAll(/^\d+\. /gm)].length);
      expect(steps.filter(([file = '', name = '']) => !declares(file, name))).toEqual([]);
    }
  });
});

/** Returns whether a file declares a function, a class, a workflow or an operation of this name. */
function declares(file: string, name: string): boolean {
  const quoted = name.replaceAll('.', '\\.');
  const declared = new RegExp(`\\b(?:function|FUNCTION|class) ${quoted}\\b|\\bid: '${quoted}'`);
  return existsSync(path.join(root, file)) && declared.test(read(file));
}

/** Returns whether a citation names a section of the contract, or a document that the repository holds. */
function isHere(file: string, citation: string): boolean {
  if (/^contract \d/.test(citation)) return true;
  if (!citation.endsWith('.md')) return false;
  const places = [citation, `docs/${citation}`, path.posix.join(path.posix.dirname(file), citation)];
  return places.some((place) => existsSync(path.join(root, place)));
}
