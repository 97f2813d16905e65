'use strict';

const path = require('path');
const { startChild } = require('../lib/processes.cjs');

/** What the service's workflows are found by; `npm run migrate` registers the same on a server of one's own. */
const searchAttributes = {
  WorkspaceId: 'Keyword',
  ConversationId: 'Keyword',
  TicketId: 'Keyword',
  BroadcastId: 'Keyword',
};

/**
 * Starts a Temporal dev server and gives its handle; `waitReady` tells when it serves. `options`: cli, port, uiPort,
 * dbFile, namespace, searchAttributes, retention, synchronous, onLine, env.
 */
function startTemporal(options) {
  const settings = {
    cli: options.cli,
    port: options.port,
    uiPort: options.uiPort,
    dbFile: options.dbFile,
    namespace: options.namespace || 'default',
    searchAttributes: options.searchAttributes || searchAttributes,
    retention: options.retention === undefined ? '30d' : options.retention,
    synchronous: options.synchronous,
  };
  return startChild({
    name: 'temporal',
    script: path.join(__dirname, 'server.cjs'),
    args: [JSON.stringify(settings)],
    env: options.env || process.env,
    onLine: options.onLine,
  });
}

module.exports = { startTemporal, searchAttributes };
