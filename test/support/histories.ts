import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
type History = temporal.api.history.v1.IHistory;

/**
 * Returns a history as JSON text: bytes in base64, enumerations by name, long numbers as text. The SDK's own converter
 * needs one single copy of protobufjs, which an installation does not always have.
 */
export function historyToText(history: History): string {
  return JSON.stringify(
    History.toObject(History.fromObject(history), { bytes: String, longs: String, enums: String }),
    null,
    1,
  );
}

/** Returns the other way round. */
export function historyFromText(text: string): History {
  return History.fromObject(JSON.parse(text) as Record<string, unknown>);
}
