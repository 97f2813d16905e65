'use strict';

const path = require('path');
const { startChild } = require('../lib/processes.cjs');

/** Starts an embedded PostgreSQL and gives its handle. `options`: dir, port, password, database, durable, onLine. */
function startPostgres(options) {
  const env = Object.assign({}, process.env, {
    PG_DIR: options.dir,
    PG_PORT: String(options.port),
    PG_USER: 'msgdesk',
    PG_PASSWORD: options.password,
    PG_DATABASE: options.database,
    PG_DURABLE: options.durable ? '1' : '0',
  });
  return startChild({ name: 'postgres', script: path.join(__dirname, 'server.mjs'), env, onLine: options.onLine });
}

module.exports = { startPostgres };
