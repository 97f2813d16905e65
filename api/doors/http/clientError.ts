import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, parseError } from '../../core/http/errors';

/** Answers what is no HTTP, or too large a head of it, in the envelope of all errors (contract 3.3). */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node's own check: what has begun to be answered cannot be answered again.
  const answer = (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage;
  if (!socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  const body = JSON.stringify(refusal.toBody());
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    `X-Error-Code: ${refusal.publicCode}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('headers_too_large', 'The request line and headers may have at most 16 kB.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The request did not come in time.');
  return parseError('The request could not be read as HTTP.');
}
