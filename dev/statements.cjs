'use strict';

/**
 * Reads the SQL statements of a source and says of each why it is not a call of a model.
 *
 * The shape of a statement shows most reasons. One that a model could do as well is `plain`: it needs a comment with
 * the word `SQL` and its reason, before the statement or before its function, and then counts as `said in a comment`.
 */
const ts = require('typescript');

/** Reasons by shape, in the order in which they are tried: the first that fits counts. */
const shapes = [
  [
    'locks, settings, sequences',
    /^\s*SET |\bpg_(try_)?advisory|\bpg_notify|\bnextval\(|^\s*SELECT [\w.]+\([^)]*\)( AS \w+)?\s*$/,
  ],
  ['claims of a batch', /\bSKIP LOCKED\b/],
  ['set-based', /^\s*WITH\b|\bunnest\(|\bjsonb_to_recordset\b|\bINSERT INTO[\s\S]*\bSELECT\b|\bON CONFLICT\b/],
  ['set-based', /^\s*(UPDATE|DELETE)[\s\S]*(?<!DELETE |extract\(epoch )\b(FROM|USING|EXISTS)\b/],
  ['guarded updates', /^\s*(UPDATE|DELETE)[\s\S]*(\bRETURNING\b|\bWHERE\b[\s\S]*( [<>]=? |\bIS NULL\b))/],
  [
    'several tables or computed columns',
    /\bJOIN\b|\bEXISTS\b|\(\s*SELECT\b|\bLATERAL\b|\$\{\w*[jJ]oins?\}|\$\{\w*[cC]arriers\}/,
  ],
  ['several tables or computed columns', /\$\{(\w*[cC]olumns\w*|viewSql|ticketColumns|from|select|fencedSql)\}/],
  ['rules that statements share', /\$\{\w+Sql\b/],
  ['sums', /\b(count|max|min|sum)\(|\bGROUP BY\b|\bOVER \(/],
  ["the database's clock decides", /\bclock_timestamp\(\)|\bnow\(\)|\$\{now\}/],
  ['many keys at once', /= ANY\(/],
  ['computed from the row itself', /\bSET\b[\s\S]*\b(\w+) = (greatest\(|\1 [+-] |CASE |[a-z_]+\(\))/],
  ['a table or column that is put in', /\b(FROM|UPDATE) \$\{/],
];

/** Returns whether a SELECT only joins tables and takes columns of them, as `include` does. */
function isPlainJoin(sql) {
  return (
    /^\s*SELECT\s+(\w+\.\w+(\s+AS\s+"?\w+"?)?,?\s+)+FROM\b[\s\S]*\bJOIN\b/.test(sql) &&
    !/\$\{|\bEXISTS\b|\(\s*SELECT\b|\bLATERAL\b|_to_recordset\b|\bFOR UPDATE\b|\bGROUP BY\b/.test(sql)
  );
}

/** Folders whose statements judge a request before anybody is known. */
const authentication = /^api\/services\/identity\/(apiKeys\/authenticate|members\/(sessions|attempts)|oauth\/)/;

/** Calls `visit` with every node of a source. */
function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Returns whether a comment before the statement, or before the function around it, says why it is SQL. */
function saysWhy(node, text) {
  for (let at = node; at && !ts.isSourceFile(at); at = at.parent) {
    const comments = ts.getLeadingCommentRanges(text, at.getFullStart()) ?? [];
    if (comments.some(({ pos, end }) => /\bSQL\b/.test(text.slice(pos, end)))) return true;
    if (ts.isFunctionDeclaration(at)) return false;
  }
  return false;
}

/** Returns the reason of a statement. */
function reasonOf(file, argument, call, text) {
  if (authentication.test(file)) return 'authentication';
  if (!ts.isStringLiteralLike(argument) && !ts.isTemplateExpression(argument)) return 'put together of parts';
  // A model writes the present time, too.
  const sql = argument
    .getText()
    .slice(1, -1)
    .replace(/,\s*updated_at = now\(\)|\bupdated_at = now\(\)/g, '');
  const fitting = shapes.find(([, shape]) => shape.test(sql));
  if (fitting && !isPlainJoin(sql)) return fitting[0];
  return saysWhy(call, text) ? 'said in a comment' : 'plain';
}

/** Returns the statements of a source: line, reason and how each begins. */
function statementsOf(file, source) {
  const found = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const [argument] = node.arguments;
    if (!['rows', 'row'].includes(node.expression.name.text) || !argument) return;
    found.push({
      file,
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
      reason: reasonOf(file, argument, node, source.text),
      begins: argument.getText().replace(/\s+/g, ' ').slice(0, 100),
    });
  });
  return found;
}

/** What of a model reads or changes rows that are there. */
const reaching = ['findAll', 'findOne', 'findByPk', 'update', 'destroy', 'count'];

/** Returns the statements, and the calls of models, of a source that do not say which workspace's rows they are of. */
function unnamedOf(file, source) {
  const found = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    const [argument] = node.arguments;
    const isStatement = ['rows', 'row'].includes(name.text) && argument && !/workspace/i.test(argument.getText());
    const isModel = reaching.includes(name.text) && /(^|\bmodels\.)[A-Z]\w+$/.test(expression.getText());
    if (isStatement || isModel)
      found.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
  });
  return found;
}

module.exports = { statementsOf, unnamedOf, walk };
