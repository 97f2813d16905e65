import type { JsonSchema } from '../../api/core/http/shapes';

/** Returns values that a field of this kind does not take. */
export function wrongOf(json: JsonSchema): unknown[] {
  const variants = (json['anyOf'] as JsonSchema[] | undefined)?.filter((variant) => variant['type'] !== 'null');
  if (variants) return variants.length === 1 ? wrongOf(variants[0] ?? {}) : [];
  const type = [json['type']].flat().find((name) => name !== 'null');
  if (Array.isArray(json['enum'])) return ['no such choice', 7.5];
  const beyond = (bound: string, step: number): unknown[] =>
    json[bound] === undefined ? [] : [Number(json[bound]) + step];
  if (type === 'integer') return ['x', 1.5, {}, ...beyond('minimum', -1), ...beyond('maximum', 1)];
  if (type === 'number') return ['x', {}, ...beyond('minimum', -1), ...beyond('maximum', 1)];
  if (type === 'boolean') return ['perhaps', {}];
  if (type === 'array')
    return ['x', 7, ...beyond('maxItems', 1).map((length) => Array.from({ length: Number(length) }, () => 'x'))];
  if (type === 'object') return ['x', 7, []];
  if (type !== 'string') return [];
  const wrong: unknown[] = [{ wrong: true }, true, 'a\0b', '\ud800'];
  if (json['minLength'] !== undefined) wrong.push(' ');
  if (json['maxLength'] !== undefined) wrong.push('1'.repeat(Number(json['maxLength']) + 1));
  if (json['format'] === 'email') wrong.push('nobody');
  if (json['format'] === 'date-time') wrong.push('tomorrow', '2031-02-31T00:00:00Z', '2031-01-01T25:00:00Z');
  if (json['format'] === 'date') wrong.push('tomorrow', '2031-02-31');
  return wrong;
}
