import type { Confirmation } from '../fieldViews';
import { words } from '../words';

const { marketing: said } = words.contacts;

/** The form by which a contact is opted out of marketing, or in again, with what is asked before. */
interface OptOutForm {
  readonly ask: Confirmation;
  readonly button: string;
  /** What the form asks for. */
  readonly value: string;
}

/** Builds the form for a person of that name. */
export function optOutForm(isOut: boolean, name: string): OptOutForm {
  const { title, warning, confirm, button } = isOut ? said.in : said.out;
  return { ask: { title, text: warning(name), button: confirm }, button, value: String(!isOut) };
}
