import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildTools } from '../../api/doors/mcp/tools';
import { operations } from '../../api/operations';

type Json = Record<string, unknown>;

// `any` is a schema without keywords, and objects have optional properties: both are meant.
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats(ajv);

const validators = new Map<string, ValidateFunction>();

/**
 * Throws what is wrong with the structured result of a tool. Here objects may have no property that the schema does not
 * name, so that nothing is answered that is not described; what clients get leaves them open.
 */
export function checkStructured(tool: string, result: unknown): void {
  const validate = validators.get(tool) ?? ajv.compile(closed(schemaOf(tool)));
  validators.set(tool, validate);
  if (!validate(result))
    throw new Error(`${tool} answered what its outputSchema does not say: ${ajv.errorsText(validate.errors)}`);
}

function schemaOf(name: string): Json {
  const schema = buildTools(operations).get(name)?.output;
  if (!schema) throw new Error(`${name} has no outputSchema`);
  return schema;
}

function closed(schema: unknown): Json {
  const inner = Object.entries(schema as Json).map(([keyword, value]) => {
    if (keyword === 'properties')
      return [keyword, Object.fromEntries(Object.entries(value as Json).map(([name, own]) => [name, closed(own)]))];
    return [keyword, keyword === 'items' ? closed(value) : value];
  });
  const own = Object.fromEntries(inner) as Json;
  return 'properties' in own && !('additionalProperties' in own) ? { ...own, additionalProperties: false } : own;
}
