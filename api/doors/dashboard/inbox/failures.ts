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

/** What is worth doing about an error of the platform. */
const advice: Readonly<Record<number, string>> = {
  131047: 'The 24-hour window is closed. Send a template.',
  131026: 'The customer cannot receive it: perhaps the number does not use the app. Check the number.',
  131049: 'The platform limits marketing to this person. Try again another day.',
  131050: 'The customer has stopped marketing messages. Do not send it again.',
  131051: 'The customer’s app cannot show this kind of message. Send a text.',
  131052: 'The file could not be fetched. Check that its address is public.',
  131053: 'The file is not one that the platform takes. Check its type and size.',
  131042: 'The account has a payment problem. An administrator has to settle it with the platform.',
  130472: 'This person is part of an experiment of the platform and gets no marketing. Send a text in the window.',
  131056: 'Too many messages to this person in a short time. Wait a little and send it again.',
  132001: 'The template is not there in this language. Choose another one.',
  132015: 'The template is paused by the platform. Choose another one.',
  132016: 'The template was disabled by the platform. Choose another one.',
};

/** Returns what a code of the platform means and what is worth doing about it; empty: nothing more than the code. */
export function adviceOn(code: number): string {
  return advice[code] ?? '';
}

/** Returns why a message of ours did not arrive and what to do; null where it did, or may yet. */
export function failureOf(message: MessageEnd): Failure | null {
  if (message.message_status === 'unknown')
    return {
      reason: 'Nobody knows yet whether it arrived.',
      advice:
        'It is not sent again by itself. It is settled when the platform reports; ask the customer if it is urgent.',
    };
  if (message.message_status !== 'failed') return null;
  const reason = message.error_message || message.error_title || 'The platform refused it';
  return {
    reason: sentence(message.error_code === null ? reason : `${withoutStops(reason)} (${message.error_code})`),
    advice: adviceOn(message.error_code ?? 0) || 'Check what was sent and send it again as a new message.',
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
