import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isPlainObject } from '../api/core/http/fields';
import { validate } from '../api/core/http/validate';
import { actionTypes } from '../api/services/resources/macros/actions';
import { createMacroInput } from '../api/services/resources/macros/schema';
import { createMacro } from '../api/services/resources/macros/service';
import { ctxOf, group, id, recorded, type Deps } from './deps';

/** `macro create`: a macro from a JSON file. */
export function registerMacro(program: Command, deps: Deps): void {
  group(program, 'macro', 'Create and list macros.')
    .command('create')
    .description(
      'Create a macro from a JSON file: {"name": …, "description": …, "actions": [{"type": …, "params": {…}}]}. ' +
        `Types of actions: ${actionTypes.join(', ')}. The API reference, under "Save a macro", has an example.`,
    )
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--json-file <file>', 'the macro as JSON')
    .action(async (options: { readonly workspace: number; readonly jsonFile: string }) => {
      const values = await readMacro(options.jsonFile);
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        const macro = await recorded(ctx, 'macros.create', { name: values['name'] }, () =>
          createMacro(ctx, validate(createMacroInput, values)),
        );
        return {
          id: macro.id,
          name: macro.name,
          description: macro.description,
          actions: macro.actions,
          workspace_id: options.workspace,
        };
      });
    });
}

async function readMacro(file: string): Promise<Record<string, unknown>> {
  let words: string;
  try {
    words = await readFile(file, 'utf8');
  } catch {
    throw new Error(`There is no file ${file} that can be read.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(words);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isPlainObject(value)) throw new Error(`${file} must hold one JSON object with name and actions.`);
  return value;
}
