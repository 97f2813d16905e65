import type { Context } from '../context';
import { defaultSettings } from '../state';
import type { JsonObject, Settings } from '../types';
import { ControlError } from './controlError';

/** Takes known keys of the right kind only: a typo in a test must not pass unnoticed. */
export function applySettings(context: Context, input: JsonObject): Settings {
  const settings = context.state.settings as unknown as JsonObject;
  const shapes = defaultSettings() as unknown as JsonObject;
  for (const [key, value] of Object.entries(input)) {
    if (!(key in shapes))
      throw new ControlError(400, `Unknown setting ${key}; known are ${Object.keys(shapes).join(', ')}.`);
    const shape = shapes[key];
    const number = typeof shape === 'number' && typeof value === 'boolean' ? Number(value) : value;
    if (typeof number !== typeof shape || Array.isArray(number) !== Array.isArray(shape))
      throw new ControlError(400, `Setting ${key} must be like ${JSON.stringify(shape)}.`);
    settings[key] = number;
  }
  context.changed();
  return context.state.settings;
}
