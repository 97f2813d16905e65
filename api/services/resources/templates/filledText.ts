import { isPlainObject } from '../../../core/http/fields';

/** Returns the text of a template's component with the sent parameters filled in, as the customer reads it. */
export function filledText(template: unknown, type: 'header' | 'body' | 'footer', components: unknown): string {
  const isType = (item: Record<string, unknown>): boolean => String(item['type']).toLowerCase() === type;
  const text = objects(template).find(isType)?.['text'];
  const values = objects(objects(components).find(isType)?.['parameters']);
  const seen: string[] = [];
  return (typeof text === 'string' ? text : '').replace(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g, (_whole, name: string) => {
    if (!seen.includes(name)) seen.push(name);
    const value = values.find((parameter) => parameter['parameter_name'] === name) ?? values[seen.indexOf(name)];
    return String(value?.['text'] ?? '');
  });
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
