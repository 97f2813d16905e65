import pino, { type DestinationStream, type Logger } from 'pino';

/** Keys whose values never reach a log line, at the top level or one below. */
const secretKeys = [
  'authorization',
  'cookie',
  'token',
  'access_token',
  'refresh_token',
  'app_secret',
  'verify_token',
  'password',
  'secret',
  'code',
  'client_secret',
  'api_key',
];

/** Structured JSON logs; bodies, message texts and credentials are never logged. */
export function createLogger(level: string, process: string, destination?: DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { process },
    redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `req.headers.${key}`]), censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
