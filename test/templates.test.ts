import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Eta } from 'eta';
import ts from 'typescript';

/*
 * A template prints what its view gives: fields, with `if` and `for` around them. What is computed stands in
 * TypeScript, where it has a type and a test. A tag stays on its line, so that one sees what belongs together; the
 * fields that an include is given may have several.
 */
const root = path.join(__dirname, '..', 'api', 'doors', 'dashboard', 'views');
const eta = new Eta();
const templates = readdirSync(root, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.eta'));

interface Tag {
  /** `e`: a statement, `i`: printed and escaped, `r`: printed as it is. */
  readonly t: 'e' | 'i' | 'r';
  readonly val: string;
}

function expressionOf(text: string): ts.Expression | null {
  const [statement, ...others] = ts.createSourceFile('tag.ts', `(${text}\n)`, ts.ScriptTarget.ES2022, true).statements;
  if (!statement || others.length > 0 || !ts.isExpressionStatement(statement)) return null;
  return ts.isParenthesizedExpression(statement.expression) ? statement.expression.expression : null;
}

const isLiteral = (node: ts.Expression): boolean =>
  ts.isStringLiteral(node) ||
  ts.isNumericLiteral(node) ||
  [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(node.kind);

/** `it.list.items` */
const isField = (node: ts.Expression): boolean =>
  ts.isIdentifier(node) || (ts.isPropertyAccessExpression(node) && !node.questionDotToken && isField(node.expression));

/** `page.time(it.at, 'full')`, `include('/partials/field', { name: 'name', value: it.name })` */
const isCall = (node: ts.Expression): boolean =>
  ts.isCallExpression(node) && /^(include|page\.\w+)$/.test(node.expression.getText()) && node.arguments.every(isValue);

function isValue(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isValue);
  if (!ts.isObjectLiteralExpression(node)) return isLiteral(node) || isField(node) || isCall(node);
  return node.properties.every(
    (property) =>
      ts.isShorthandPropertyAssignment(property) ||
      (ts.isPropertyAssignment(property) && isValue(property.initializer)),
  );
}

const joins = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken];
const comparisons = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
];

function isCondition(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isCondition(node.expression);
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === ts.SyntaxKind.ExclamationToken && isCondition(node.operand);
  if (!ts.isBinaryExpression(node)) return isField(node) || isCall(node);
  const { left, right, operatorToken } = node;
  if (joins.includes(operatorToken.kind)) return isCondition(left) && isCondition(right);
  return comparisons.includes(operatorToken.kind) && isField(left) && isLiteral(right);
}

const statements: readonly (readonly [form: RegExp, test: (node: ts.Expression) => boolean])[] = [
  [/^(?:\} else )?if \((.*)\) \{$/, isCondition],
  [/^for \(const (?:\w+|\{[\w, :]+\}|\[[\w, ]+\]) of (.*)\) \{$/, isField],
  [/^const (?:\w+|\{[\w, ]+\}) = (.*);$/, (node) => isField(node) || isCall(node)],
];

/** Returns whether a tag only prints, or says what is printed. */
function isPlain({ t, val }: Tag): boolean {
  const text = val.trim();
  if (/^\/\*[^*]*\*\/$/.test(text)) return true;
  if (val.includes('\n') && !text.startsWith('include(')) return false;
  const accepts = (given: string, test: (node: ts.Expression) => boolean): boolean => {
    const node = expressionOf(given);
    return node !== null && test(node);
  };
  if (t !== 'e') return accepts(text, (node) => isField(node) || isCall(node));
  if (text === '}' || text === '} else {') return true;
  return statements.some(([form, test]) => {
    const [, given] = form.exec(text) ?? [];
    return given !== undefined && accepts(given, test);
  });
}

function tagsOf(text: string): readonly Tag[] {
  return eta.parse(text).filter((part): part is Tag => typeof part !== 'string');
}

describe('the templates of the dashboard', () => {
  it.each([
    '<%= it.name %>',
    "<%~ page.time(it.at, 'full') %>",
    "<%~ include('/partials/field', {\n  name: 'name', value: it.name, attributes: { maxlength: 255 },\n}) %>",
    '<% for (const { name } of it.rows) { %><%= name %><% } %>',
    "<% if (!it.off && (it.rows.length > 0 || page.may('a.b'))) { %>a<% } else { %>b<% } %>",
    '<% const { rows } = it; %>',
    '<% /* it: HeadView. */ %>',
  ])('print: %s', (text) => expect(tagsOf(text).filter((tag) => !isPlain(tag))).toEqual([]));

  it.each([
    "<%= it.name ? 'a' : 'b' %>",
    "<%= it.name || 'Nobody' %>",
    '<%= it.name.toUpperCase() %>',
    '<%= it.errors?.name %>',
    '<%= `${it.path}new/` %>',
    '<%= it.count + 1 %>',
    '<% for (const row of it.rows.slice(0, 9)) { %><% } %>',
    '<% it.rows.forEach((row) => { %><% }) %>',
    "<% const path = '/dashboard/'; %>",
    "<%~ page.icon('x',\n  'Remove') %>",
    "<%~ include('/partials/field', { ...it.field, name: 'a' }) %>",
  ])('compute nothing: %s', (text) => expect(tagsOf(text).some((tag) => !isPlain(tag))).toBe(true));

  it('print, and compute nothing', () => {
    expect(templates).not.toEqual([]);
    const texts = templates.map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
    const wrong = texts.flatMap(({ name, text }) =>
      tagsOf(text)
        .filter((tag) => !isPlain(tag))
        .map(({ val }) => `${name}: ${val.trim()}`),
    );
    expect(wrong).toEqual([]);
    // The parser takes no notice of a line break at the head of a tag.
    expect(texts.filter(({ text }) => /<%[=~]?[ \t]*$/m.test(text)).map(({ name }) => name)).toEqual([]);
  });
});
