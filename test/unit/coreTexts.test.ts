import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { schemaTexts } from '../../api/doors/document/texts/schemas';
import { root } from '../support/settings';

/** Of the form of all errors, which is everybody's. */
const ofErrors = ['Refusal', 'ValidationErrors'];

/** Returns the texts of a file of the code. */
function textsOf(file: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest));
  return texts;
}

test('what services stand on names no schema of theirs: a renamed one leaves nothing behind', () => {
  const core = path.join(root, 'api', 'core');
  const files = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(50);
  const schemas = new Set(Object.keys(schemaTexts).filter((name) => !ofErrors.includes(name)));
  const named = files.flatMap((file) =>
    textsOf(path.join(core, file))
      .filter((text) => schemas.has(text.split('.')[0] ?? ''))
      .map((text) => `${file}: ${text}`),
  );
  expect(named).toEqual([]);
});
