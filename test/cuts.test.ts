import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..');
const folders = ['api', 'models', 'workflows', 'activities', 'worker', 'admin'].map((folder) => `${root}/${folder}/`);

/** Lengths of texts that people write: what is shorter is a part of a date, a digest or a code. */
const isLength = (node: ts.Node | undefined): boolean =>
  node !== undefined &&
  ((ts.isNumericLiteral(node) && Number(node.text) >= 40) ||
    (ts.isIdentifier(node) && /^(max|search)|(Length|Chars|Letters)$/.test(node.text)));

/** Places that cut a text by what JavaScript counts, where `cut` of api/core/text/cut leaves whole characters. */
function otherCuts(program: ts.Program, files: (file: string) => boolean): string[] {
  const checker = program.getTypeChecker();
  const isText = (node: ts.Expression): boolean => {
    const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
    return (type.flags & ts.TypeFlags.StringLike) !== 0;
  };
  const found: string[] = [];
  for (const source of program.getSourceFiles().filter(({ fileName }) => files(fileName))) {
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
        const { name, expression: of } = node.expression;
        const [from, to] = node.arguments;
        const cutsText =
          ['slice', 'substring', 'substr'].includes(name.text) && from?.getText() === '0' && isLength(to);
        const spread =
          ts.isArrayLiteralExpression(of) && of.elements[0] && ts.isSpreadElement(of.elements[0])
            ? of.elements[0].expression
            : of;
        if (cutsText && isText(spread)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          found.push(`${path.relative(root, source.fileName)}:${line + 1}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

it('texts are cut in one place, between characters', () => {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (file) => ts.sys.readFile(file)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const isOurs = (file: string): boolean => folders.some((folder) => file.startsWith(folder));
  const program = ts.createProgram(fileNames.filter(isOurs), options);
  expect(program.getSourceFiles().filter(({ fileName }) => isOurs(fileName)).length).toBeGreaterThan(300);
  expect(otherCuts(program, isOurs)).toEqual([]);
});

it('knows a cut when it sees one', () => {
  const lines = [
    'declare const text: string; declare const list: string[]; declare const maybe: string | undefined;',
    'text.slice(0, 100);',
    "[...text].slice(0, 255).join('');",
    'maybe?.substring(0, 64);',
    'const maxShown = 5; text.slice(0, maxShown);',
    'list.slice(0, 100);',
    'text.slice(0, 10);',
  ];
  const file = `${root}/api/example.ts`;
  const host = ts.createCompilerHost({});
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), version, true) : read(name, version);
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022 }, host);
  expect(otherCuts(program, (name) => name === file)).toEqual([2, 3, 4, 5].map((line) => `api/example.ts:${line}`));
});
