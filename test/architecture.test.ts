import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..');
const topFolders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench', 'test'];

interface Source {
  /** Path from the repository's root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  /** What it loads at run time: files of ours as paths, packages by name. Types leave no trace. */
  readonly imports: readonly string[];
}

const isFile: ReadonlySet<string> = new Set(topFolders.flatMap((folder) => filesBelow(folder)));
const sources: readonly Source[] = [...isFile].map(read);
/** What a browser gets: pages, styles and scripts. */
const assets = filesBelow('api', /\.(eta|css|js)$/).map((file) => ({ file, text: contents(file) }));

function filesBelow(folder: string, kinds = /\.(ts|cjs|mjs)$/): string[] {
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

function read(file: string): Source {
  const text = contents(file);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = loadedBy(node);
    if (specifier !== null) found.push(resolve(file, specifier));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true));
  return { file, text, imports: found };
}

/** The module that a statement or call loads at run time, or null. */
function loadedBy(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node)) return loadsValues(node.importClause) ? textOf(node.moduleSpecifier) : null;
  if (ts.isExportDeclaration(node))
    return node.isTypeOnly || !exportsValues(node.exportClause) ? null : textOf(node.moduleSpecifier);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
    return node.isTypeOnly ? null : textOf(node.moduleReference.expression);
  if (
    ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(node.expression) && node.expression.text === 'require'))
  )
    return textOf(node.arguments[0]);
  return null;
}

function loadsValues(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return true;
  if (clause.isTypeOnly) return false;
  if (clause.name || !clause.namedBindings || ts.isNamespaceImport(clause.namedBindings)) return true;
  return clause.namedBindings.elements.some((element) => !element.isTypeOnly);
}

function exportsValues(clause: ts.NamedExportBindings | undefined): boolean {
  return !clause || !ts.isNamedExports(clause) || clause.elements.some((element) => !element.isTypeOnly);
}

function textOf(node: ts.Node | undefined): string | null {
  return node && ts.isStringLiteralLike(node) ? node.text : null;
}

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.'))
    return specifier.startsWith('@')
      ? specifier.split('/').slice(0, 2).join('/')
      : (specifier.split('/')[0] ?? specifier);
  const target = path.posix.normalize(`${path.posix.dirname(from)}/${specifier}`);
  return [target, `${target}.ts`, `${target}/index.ts`].find((candidate) => isFile.has(candidate)) ?? target;
}

const isPackage = (name: string): boolean =>
  !isFile.has(name) &&
  !topFolders.some((folder) => name === folder || name.startsWith(`${folder}/`)) &&
  !name.startsWith('.');
const within = (name: string, places: readonly string[]): boolean =>
  places.some((place) => name === `${place}.ts` || name === place || name.startsWith(`${place}/`));

/** What everybody knows of the workflows: names, types, and how they are started. */
const contract = ['workflows/contract', 'workflows/starts'];

/** A room and the rooms whose code it may load; the first that fits a file counts (ARCHITECTURE.md, rooms). */
const rooms: readonly (readonly [room: string, mayLoad: readonly string[]])[] = [
  ['workflows', ['workflows']],
  ['models', ['models']],
  ['api/core', ['api/core', 'models', ...contract]],
  ['api/services', ['api/services', 'api/core', 'models', ...contract]],
  ['api/doors', ['api/doors', 'api/services', 'api/core', 'models/enums', ...contract]],
  ['api', ['api']],
  ['activities', ['activities', 'api/services', 'api/core', ...contract]],
  ['worker', ['worker', 'activities', 'api/services', 'api/core', 'models', ...contract]],
  ['admin', ['admin', 'api/services', 'api/core', 'models/migrate', ...contract]],
];

/** Packages that have one home each. */
const homes: readonly (readonly [packages: RegExp, homes: readonly string[]])[] = [
  [/^(express|express-rate-limit|helmet)$/, ['api/doors', 'api/app']],
  [/^@modelcontextprotocol\/sdk$/, ['api/doors/mcp']],
  [/^@temporalio\/(client|proto)$/, ['api/core/temporal/client', 'api/core/temporal/namespace']],
  [/^@temporalio\/workflow$/, ['workflows']],
  [/^@temporalio\/worker$/, ['worker']],
  [/^sequelize$/, ['models', 'api/core', 'api/services']],
  [/^umzug$/, ['models']],
  [/^pg$/, ['models', 'api/core', 'worker/events']],
  [/^yup$/, ['api/core', 'api/services']],
  [/^undici$/, ['api/core']],
  [/^@node-oauth\/oauth2-server$/, ['api/services/identity/oauth']],
  [/^eta$/, ['api/doors/dashboard']],
];

const product = sources.filter(({ file }) => !within(file, ['dev', 'bench', 'test']));

/** Every circle of a graph, as the names along it. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const circles: string[] = [];
  const walk = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) circles.push([...trail.slice(trail.indexOf(name)), name].join(' → '));
    if (trail.includes(name) || finished.has(name)) return;
    for (const next of graph.get(name) ?? []) walk(next, [...trail, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) walk(name, []);
  return circles;
}

describe('who imports whom', () => {
  it('finds the sources', () => {
    expect(sources.find(({ file }) => file === 'worker/worker.ts')?.imports).toEqual(
      expect.arrayContaining(['@temporalio/worker', 'activities/index.ts', 'workflows/contract.ts']),
    );
    expect(sources.find(({ file }) => file === 'workflows/snoozeTimer.ts')?.imports).toEqual([
      '@temporalio/workflow',
      'workflows/activities.ts',
      'workflows/contract.ts',
      'workflows/deadline.ts',
      'workflows/failures.ts',
    ]);
  });

  it('only downwards', () => {
    const wrong = product.flatMap(({ file, imports }) => {
      const mayLoad = rooms.find(([room]) => within(file, [room]))?.[1] ?? [];
      return imports.filter((name) => !isPackage(name) && !within(name, mayLoad)).map((name) => `${file} → ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('launchers load each other, packages and Node: the rest is not built when they begin', () => {
    const launchers = ['commands', 'lib', 'postgres', 'temporal', 'timeSkipping', 'topology'].map(
      (name) => `dev/${name}`,
    );
    const wrong = sources
      .filter(({ file }) => within(file, launchers))
      .flatMap(({ file, imports }) =>
        imports.filter((name) => !isPackage(name) && !within(name, launchers)).map((name) => `${file} → ${name}`),
      );
    expect(wrong).toEqual([]);
    const bootstrap = sources.filter(({ file }) => /^dev\/(bootstrap\/\w+|start|test|bench|admin)\.cjs$/.test(file));
    const lines = bootstrap.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    expect(lines).toBeLessThanOrEqual(375);
  });

  it('packages stay at home', () => {
    const wrong = product.flatMap(({ file, imports }) =>
      imports
        .filter(isPackage)
        .flatMap((name) =>
          homes
            .filter(([packages, places]) => packages.test(name) && !within(file, places))
            .map(() => `${file} → ${name}`),
        ),
    );
    expect(wrong).toEqual([]);
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

  it('workflow modules load the workflow SDK and their own folder; the contract loads nothing', () => {
    const wrong = sources
      .filter(({ file }) => within(file, ['workflows']))
      .flatMap(({ file, imports }) =>
        imports
          .filter(
            (name) =>
              file === 'workflows/contract.ts' || !(name === '@temporalio/workflow' || within(name, ['workflows'])),
          )
          .map((name) => `${file} → ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('services stand on four levels: identity, resources, delivery, processes', () => {
    const levels = ['identity', 'resources', 'delivery', 'processes'].map((name) => `api/services/${name}`);
    const levelOf = (file: string): number => levels.findIndex((level) => within(file, [level]));
    const homeless = product.filter(({ file }) => within(file, ['api/services']) && levelOf(file) < 0);
    expect(homeless.map(({ file }) => file)).toEqual([]);

    const upwards = product
      .filter(({ file }) => within(file, ['api/services']))
      .flatMap(({ file, imports }) =>
        imports.filter((name) => levelOf(name) > levelOf(file)).map((name) => `${file} → ${name}`),
      );
    expect(upwards).toEqual([]);
  });

  it('no file in a circle', () => {
    expect(
      circlesOf(new Map(product.map(({ file, imports }) => [file, imports.filter((name) => isFile.has(name))]))),
    ).toEqual([]);
  });

  it('no folder in a circle', () => {
    const folders = new Map<string, Set<string>>();
    for (const { file, imports } of product) {
      const folder = path.posix.dirname(file);
      const loaded = imports.filter((name) => isFile.has(name)).map((name) => path.posix.dirname(name));
      folders.set(folder, new Set([...(folders.get(folder) ?? []), ...loaded.filter((name) => name !== folder)]));
    }
    expect(folders.has('api/services/processes/contactMerge')).toBe(true);
    expect(circlesOf(new Map([...folders].map(([folder, loaded]) => [folder, [...loaded]])))).toEqual([]);
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
    const limit = (file: string): number => (within(file, ['test']) ? 700 : 400);
    const tooLong = sources
      .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
      .filter(({ file, lines }) => !within(file, ['models/migrations']) && lines > limit(file))
      .map(({ file, lines }) => `${file}: ${lines}`);
    expect(tooLong).toEqual([]);
  });

  it('services reach models of workspaces through `of`, but in functions that say that they cross them', () => {
    const owned = new Set(
      sources
        .filter(
          ({ file, text }) => file.startsWith('models/') && /^  workspace_id: \{[^}]*allowNull: false/m.test(text),
        )
        .flatMap(({ text }) => [...text.matchAll(/defineTable<\w+>\(\s*'(\w+)'/g)].map((match) => match[1] ?? '')),
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

  it('no line is wider than 120 columns', () => {
    const wrong = [...sources, ...assets].flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => (line.length > 120 ? [`${file}:${index + 1}`] : [])),
    );
    expect(wrong).toEqual([]);
  });

  it('what a file exports, another one uses', () => {
    // What a workflow exports are its signals and queries: operators use them, too.
    const readers = new Map<string, number>();
    for (const { text } of sources)
      for (const word of new Set(text.match(/\w+/g))) readers.set(word, (readers.get(word) ?? 0) + 1);
    const unused = sources
      .filter(({ file }) => file.endsWith('.ts') && !within(file, ['workflows']))
      .flatMap(({ file, text }) =>
        [...text.matchAll(/^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm)]
          .filter(([, name = '']) => readers.get(name) === 1)
          .map(([, name = '']) => `${file}: ${name}`),
      );
    expect(unused).toEqual([]);
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
    for (const { file, text } of sources.filter(({ file }) => !within(file, ['test'])))
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
          file.startsWith('test/') &&
          !exempt.includes(file) &&
          /\b(it|test|describe)\.(skip|todo|only)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\(/.test(text),
      )
      .map(({ file }) => file);
    expect(wrong).toEqual([]);
  });

  it('no rule is switched off in a comment', () => {
    // Put together here, so that this file does not find itself.
    const marks = new RegExp(
      ['eslint-dis' + 'able', '@ts-ig' + 'nore', '@ts-no' + 'check', '@ts-expect-' + 'error'].join('|'),
    );
    expect(
      sources.filter(({ file, text }) => file.endsWith('.ts') && marks.test(text)).map(({ file }) => file),
    ).toEqual([]);
  });
});
