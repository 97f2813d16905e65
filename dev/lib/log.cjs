'use strict';

const startedAt = Date.now();

/** Seconds since this process began, as `  3.2s`. */
function elapsed() {
  return ((Date.now() - startedAt) / 1000).toFixed(1).padStart(6) + 's';
}

/**
 * A progress log: one line per event, with the elapsed time. It writes to stderr where stdout belongs to
 * a program's own output (the admin CLI).
 */
function createLog(stream) {
  const target = stream || process.stdout;
  return function log(line) {
    target.write('[' + elapsed() + '] ' + line + '\n');
  };
}

/** An error whose message is meant for the person at the terminal: it is printed without a stack. */
class UserError extends Error {}

/** Prints an error as its reader needs it: our own as one message, an unexpected one with its stack. */
function printError(error) {
  console.error('\n' + (error instanceof UserError ? error.message : (error && error.stack) || String(error)));
}

module.exports = { createLog, UserError, printError };
