'use strict';

const fs = require('fs');
const path = require('path');
const { identityOf, sleep } = require('./processes.cjs');
const { UserError } = require('./log.cjs');

const largestLog = 20 * 1024 * 1024;

/** A log file that is put aside as `.1` at the start when it has grown large. */
function openLog(file) {
  try {
    if (fs.statSync(file).size > largestLog) fs.renameSync(file, file + '.1');
  } catch (error) {
    // There is none yet.
  }
  const stream = fs.createWriteStream(file, { flags: 'a' });
  stream.on('error', () => undefined);
  return stream;
}

/** What of a child's output is worth the console: its own warnings and errors, and what is not a log record at all. */
function warningIn(line, stream) {
  if (line.startsWith('{')) {
    try {
      const record = JSON.parse(line);
      const label = { warn: 'warning: ', error: 'error: ', fatal: 'error: ' }[record.level];
      if (!label) return '';
      const cause = record.reason || (record.err && record.err.message);
      return label + (record.msg || '') + (cause && cause !== record.msg ? ': ' + cause : '');
    } catch (error) {
      // Not a log record after all.
    }
  }
  return stream === 'stderr' && line.trim() ? line : '';
}

/**
 * Keeps children running: writes their logs, shows their warnings, starts again what crashed, and stops all in
 * the reverse order of their start. `options`: logsDir, log, onChange(children), onGiveUp(error).
 */
function createSupervisor(options) {
  const services = [];
  let stopping = false;
  let forced = false;

  function children() {
    const list = [];
    for (const service of services) {
      if (!service.handle || !service.handle.running) continue;
      list.push({ name: service.name, pid: service.handle.pid, identity: identityOf(service.handle.pid) });
      const server = service.handle.ready && service.handle.ready.pid;
      if (server) list.push({ name: service.name + ' server', pid: server, identity: identityOf(server) });
    }
    return list;
  }

  function watchOutput(service) {
    const file = openLog(path.join(options.logsDir, service.name + '.log'));
    let shown = 0;
    let hidden = 0;
    let windowEnds = 0;
    return (line, stream) => {
      file.write(line + '\n');
      if (service.quiet || stopping) return;
      const warning = warningIn(line, stream);
      if (!warning) return;
      if (Date.now() > windowEnds) {
        if (hidden > 0)
          options.log(
            '[' +
              service.name +
              '] … and ' +
              hidden +
              ' more lines in ' +
              path.join(options.logsDir, service.name + '.log'),
          );
        shown = 0;
        hidden = 0;
        windowEnds = Date.now() + 10000;
      }
      shown += 1;
      if (shown <= 20) options.log('[' + service.name + '] ' + warning);
      else hidden += 1;
    };
  }

  function launch(service) {
    const startedAt = Date.now();
    const handle = service.start(service.onLine);
    service.handle = handle;
    handle.exited.then(async () => {
      options.onChange(children());
      if (stopping || service.settling) return;
      const lived = Date.now() - startedAt;
      service.crashes = lived > 60000 ? 1 : service.crashes + 1;
      const how = handle.signal || 'code ' + handle.code;
      if (service.crashes > service.patience) {
        options.onGiveUp(
          new UserError(
            service.name +
              ' keeps ending (' +
              how +
              '). Its last lines:\n' +
              handle
                .tail()
                .slice(-15)
                .map((line) => '  ' + line)
                .join('\n'),
          ),
        );
        return;
      }
      const delay = Math.min(30000, 500 * Math.pow(2, service.crashes));
      options.log(service.name + ' ended (' + how + '); starting it again in ' + delay / 1000 + ' s');
      await sleep(delay);
      if (stopping) return;
      launch(service);
      options.onChange(children());
    });
    return handle;
  }

  /**
   * Starts a service. Until `settle` is called its end is the caller's business (a failed start is an error, not
   * something to try again). `settings`: start(onLine) → handle, quiet (nothing on the console), patience (crashes
   * in a row before giving up), graceMs.
   */
  function add(name, settings) {
    const service = {
      name,
      start: settings.start,
      quiet: settings.quiet === true,
      patience: settings.patience || Infinity,
      graceMs: settings.graceMs || 15000,
      crashes: 0,
      settling: true,
      handle: null,
    };
    service.onLine = watchOutput(service);
    services.push(service);
    const handle = launch(service);
    options.onChange(children());
    return handle;
  }

  /** From now on a child that ends is started again; one that has ended meanwhile is an error. */
  function settle() {
    for (const service of services) {
      if (!service.handle.running)
        throw new UserError(
          service.name +
            ' ended at start:\n' +
            service.handle
              .tail()
              .slice(-15)
              .map((line) => '  ' + line)
              .join('\n'),
        );
      service.settling = false;
    }
    options.onChange(children());
  }

  async function stop() {
    stopping = true;
    for (const service of services.slice().reverse()) {
      if (!service.handle) continue;
      if (service.handle.running && !forced) options.log('Stopping ' + service.name);
      await service.handle.stop(forced ? 0 : service.graceMs);
    }
  }

  /** Ends everything at once; PostgreSQL's data is safe, it only has to recover at the next start. */
  function force() {
    forced = true;
    for (const service of services) if (service.handle) service.handle.send('SIGKILL');
  }

  return { add, settle, stop, force, children };
}

module.exports = { createSupervisor };
