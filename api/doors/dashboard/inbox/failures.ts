import { words } from '../words';

const { failures: said } = words.thread;

/** Why a message did not arrive, and what to do about it. */
export interface Failure {
  readonly reason: string;
  readonly advice: string;
}

/** How a message ended, as the API says it. */
interface MessageEnd {
  readonly message_status: string;
  readonly error_code: number | null;
  readonly error_title: string;
  readonly error_message: string;
}

/** Returns what a code of the platform means and what is worth doing about it; empty: nothing more than the code. */
export function adviceOn(code: number): string {
  return (said.advice as Readonly<Record<number, string>>)[code] ?? '';
}

/** Returns why a message of ours did not arrive and what to do; null where it did, or may yet. */
export function failureOf(message: MessageEnd): Failure | null {
  if (message.message_status === 'unknown') return said.unknown;
  if (message.message_status !== 'failed') return null;
  const reason = message.error_message || message.error_title || said.refused;
  return {
    reason: sentence(message.error_code === null ? reason : `${withoutStops(reason)} (${message.error_code})`),
    advice: adviceOn(message.error_code ?? 0) || said.sendAnew,
  };
}

function withoutStops(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '.') end -= 1;
  return text.slice(0, end);
}

/** Ends a text with one full stop. */
function sentence(text: string): string {
  return `${withoutStops(text)}.`;
}
