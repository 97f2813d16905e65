import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..');
const topFolders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench', 'test'];

interface Source {
  /** Path from the repository's root, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

const sources: readonly Source[] = topFolders
  .flatMap((folder) => filesBelow(folder))
  .map((file) => ({ file, text: contents(file) }));
/** What a browser gets: pages, styles and scripts. */
const assets = filesBelow('api', /\.(css|js)$/).map((file) => ({ file, text: contents(file) }));

function filesBelow(folder: string, kinds = /\.(tsx?|cjs|mjs)$/): string[] {
  let entries;
  try {
    entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(name, kinds);
    return kinds.test(entry.name) ? [name] : [];
  });
}

function contents(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

const within = (name: string, places: readonly string[]): boolean =>
  places.some((place) => name === `${place}.ts` || name === place || name.startsWith(`${place}/`));

/** Tests of the product and its tools, and of the sandbox, which has its own beside it. */
const testFolders = ['test', 'dev/sandbox/test'];
const product = sources.filter(({ file }) => !within(file, ['dev', 'bench', 'test']));

describe('what runs where', () => {
  it('what starts before anything is installed stays small', () => {
    const bootstrap = sources.filter(({ file }) => /^dev\/(bootstrap\/\w+|start|test|bench|admin)\.cjs$/.test(file));
    const lines = bootstrap.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    expect(lines).toBeLessThanOrEqual(320);
  });

  it('workflow modules keep no state of their own: all workflows of a worker share them', () => {
    const stateful = sources
      .filter(({ file }) => within(file, ['workflows']))
      .flatMap(({ file, text }) =>
        text
          .split('\n')
          .filter(
            (line) =>
              /^(export )?(let|var)\b|^(export )?const \w+[^=]*= (new |\[|\{)/.test(line) && !line.includes('as const'),
          )
          .map((line) => `${file}: ${line}`),
      );
    expect(stateful).toEqual([]);
  });
});

describe('house rules', () => {
  it('the environment is read in one place', () => {
    const wrong = product
      .filter(
        ({ file, text }) =>
          file !== 'api/core/config.ts' && /\bprocess\s*(\.|\?\.|\[\s*['"])env\b|from 'node:process'/.test(text),
      )
      .map(({ file }) => file);
    expect(wrong).toEqual([]);
  });

  it('no file of the product is longer than 400 lines, and no test longer than 700', () => {
    // A migration is one list of statements, and never touched again.
    const limit = (file: string): number => (within(file, testFolders) ? 700 : 400);
    const tooLong = sources
      .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
      .filter(({ file, lines }) => !within(file, ['models/migrations']) && lines > limit(file))
      .map(({ file, lines }) => `${file}: ${lines}`);
    expect(tooLong).toEqual([]);
  });

  it('services reach models of workspaces through `of`, but in functions that say that they cross them', () => {
    const owned = new Set(
      sources
        .filter(({ file }) => file.startsWith('models/'))
        .flatMap(({ text }) =>
          [...text.matchAll(/^const (\w+Columns) = \{(.*?)^\};/gms)]
            .filter(([, , columns = '']) => /^  workspace_id: (?!orNull)/m.test(columns))
            .map(
              ([, name]) => new RegExp(`defineTable\\(\\s*'(\\w+)',\\s*'\\w+',\\s*${name}\\b`).exec(text)?.[1] ?? '',
            ),
        ),
    );
    expect(owned.size).toBeGreaterThan(30);
    const crosses = /(Anywhere|OfAnyWorkspace)$/;
    // Rows that are made name their workspace themselves; the types demand it.
    const makes = ['create', 'bulkCreate', 'build', 'findOrCreate', 'upsert'];

    const wrong: string[] = [];
    for (const { file, text } of product.filter(({ file }) => within(file, ['api/services']))) {
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
      const visit = (node: ts.Node, inside: string): void => {
        const name = ts.isFunctionDeclaration(node) ? (node.name?.text ?? inside) : inside;
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
          const model = /(?:^|\.)([A-Z]\w+)$/.exec(node.expression.expression.getText())?.[1] ?? '';
          const method = node.expression.name.text;
          if (owned.has(model) && !makes.includes(method) && !crosses.test(name))
            wrong.push(`${file}: ${name}: ${model}.${method}`);
        }
        ts.forEachChild(node, (child) => visit(child, name));
      };
      visit(source, '');
    }
    expect(wrong).toEqual([]);
  });

  it('no wait is measured by the clock of the machine, which may be set back', () => {
    const wrong = product
      .filter(({ file }) => !within(file, ['workflows']))
      .filter(({ text }) => /(deadline|until|movedAt|began|begun|lastAt)\w* = Date\.now\(\)/i.test(text));
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('no line is wider than 120 columns', () => {
    // A text is as long as it is in its language, and is found by its words on one line.
    const isText = ({ file }: { readonly file: string }): boolean => /\/words\/(?!en\/)/.test(file);
    const wrong = [...sources, ...assets]
      .filter((one) => !isText(one))
      .flatMap(({ file, text }) =>
        text.split('\n').flatMap((line, index) => (line.length > 120 ? [`${file}:${index + 1}`] : [])),
      );
    expect(wrong).toEqual([]);
  });

  it('no line of a document is wider than 160 columns, but in blocks of code', () => {
    const documents = [...filesBelow('docs', /\.md$/), ...topFolders.flatMap((folder) => filesBelow(folder, /\.md$/))];
    const own = readdirSync(root).filter((name) => name.endsWith('.md'));
    const wrong = [...own, ...documents].flatMap((file) =>
      contents(file)
        .replace(/^ *```[^]*?^ *```/gm, (block) => block.replace(/.+/g, ''))
        .split('\n')
        .flatMap((line, index) => (line.length > 160 ? [`${file}:${index + 1}`] : [])),
    );
    expect(own.length + documents.length).toBeGreaterThan(15);
    expect(wrong).toEqual([]);
  });

  it('a service function that acts in one workspace takes its context, not a runtime and an id', () => {
    // Two take an id of a workspace beside what concerns all of them; delivery is called for messages of any workspace.
    const exempt = /^(holdScopeAnywhere|recordOutcomes|recorderOf|settleExpiredClaim)$/;
    const wrong: string[] = [];
    for (const { file, text } of product.filter(({ file }) => within(file, ['api/services']))) {
      if (within(file, ['api/services/delivery'])) continue;
      ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).forEachChild((node) => {
        if (!ts.isFunctionDeclaration(node) || !/^export/.test(node.getText())) return;
        const [first, ...others] = node.parameters.map((parameter) => parameter.getText());
        const name = node.name?.text ?? '';
        if (/: Runtime$/.test(first ?? '') && others.some((one) => /\bworkspaceId\??: number\b(?![^]*\[\])/.test(one)))
          if (!exempt.test(name)) wrong.push(`${file}: ${name}`);
      });
    }
    expect(wrong).toEqual([]);
  });

  it('no docstring of a function begins with "Whether": it returns whether', () => {
    const wrong: string[] = [];
    for (const { file, text } of sources.filter(({ file }) => !within(file, testFolders)))
      ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).forEachChild((node) => {
        if (!ts.isFunctionDeclaration(node)) return;
        const comment = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
        if (comment && /^\/\*\*\s*(\*\s*)?Whether /.test(text.slice(comment.pos, comment.end)))
          wrong.push(`${file}: ${node.name?.text ?? ''}`);
      });
    expect(wrong).toEqual([]);
  });

  it('every log line of the product names its event', () => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
    const namesEvent = (argument: ts.Expression | undefined): boolean =>
      argument !== undefined &&
      ts.isObjectLiteralExpression(argument) &&
      argument.properties.some((property) => property.name?.getText() === 'event');

    const wrong: string[] = [];
    for (const { file, text } of product) {
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
      const visit = (node: ts.Node): void => {
        if (
          ts.isCallExpression(node) &&
          ts.isPropertyAccessExpression(node.expression) &&
          levels.includes(node.expression.name.text) &&
          /(^|\.)logger$/.test(node.expression.expression.getText()) &&
          !namesEvent(node.arguments[0])
        )
          wrong.push(`${file}: ${node.getText().slice(0, 80)}`);
        ts.forEachChild(node, visit);
      };
      visit(source);
    }
    expect(wrong).toEqual([]);
  });

  it('no test is skipped or alone', () => {
    // The time-skipping server, programs of the topology, a small disk, Python and Java may be missing; these files say
    // so for all tests that need them.
    const names = ['skipping.ts', 'programs.ts', 'smallDisk.ts', 'python.ts', 'jar.ts'];
    const support = names.map((file) => `test/support/${file}`);
    const exempt = [...support, 'test/architecture.test.ts'];
    const wrong = sources
      .filter(
        ({ file, text }) =>
          within(file, testFolders) &&
          !exempt.includes(file) &&
          /\b(it|test|describe)\.(skip|todo|only)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\(/.test(text),
      )
      .map(({ file }) => file);
    expect(wrong).toEqual([]);
  });

  it('no rule is switched off in a comment', () => {
    // Put together here, so that this file does not find itself.
    const marks = new RegExp(
      ['(?:es|ox)lint-dis' + 'able', '@ts-ig' + 'nore', '@ts-no' + 'check', '@ts-expect-' + 'error'].join('|'),
    );
    const page = filesBelow('dev/sandbox/page', /\.js$/).map((file) => ({ file, text: contents(file) }));
    expect(page.length).toBeGreaterThan(0);
    expect([...sources, ...assets, ...page].filter(({ text }) => marks.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
