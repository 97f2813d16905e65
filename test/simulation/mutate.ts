/*
 * Breaks one rule of the service where the program was started with `--mutant NAME`, as its file is loaded. Loaded
 * before anything of the service.
 */
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { mutants, type Mutant } from './mutants';

const root = path.resolve(__dirname, '..', '..', '..');
const place = process.argv.indexOf('--mutant');

/** Returns a source with its rule broken; throws where the source is not as the mutant knows it. */
export function mutated({ name, file, edits }: Mutant): string {
  return edits.reduce(
    (source, [find, put]) => {
      const parts = source.split(find);
      if (parts.length !== 2)
        throw new Error(`the mutant "${name}" finds its text ${parts.length - 1} times in ${file}`);
      return parts.join(put);
    },
    readFileSync(path.join(root, file), 'utf8'),
  );
}

function install(mutant: Mutant): void {
  const target = path.join(root, 'dist', mutant.file.replace(/\.ts$/, '.js'));
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  const { outputText } = ts.transpileModule(mutated(mutant), { compilerOptions: options });
  type Compiled = NodeModule & { _compile(code: string, file: string): void };
  const extensions = (Module as unknown as { _extensions: Record<string, (module: Compiled, file: string) => void> })
    ._extensions;
  const usual = extensions['.js'];
  extensions['.js'] = (module, file) => {
    if (file === target) module._compile(outputText, file);
    else usual?.(module, file);
  };
}

if (place > 0) {
  const name = process.argv[place + 1] ?? '';
  const mutant = mutants.find((one) => one.name === name);
  if (!mutant) throw new Error(`there is no mutant "${name}"`);
  install(mutant);
}
