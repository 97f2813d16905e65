import { localesNow } from '../../../core/text/language';

const formatters = new Map<string, Intl.NumberFormat>();

/** Writes a number as people read it. */
export function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  const { numbers } = localesNow();
  const key = `${numbers} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new Intl.NumberFormat(numbers, options);
  formatters.set(key, known);
  return known.format(value);
}

/** Writes an amount of money as people read it. */
export const moneyText = (amount: number, currency: string): string =>
  numberText(amount, { style: 'currency', currency });
