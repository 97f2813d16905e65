'use strict';

const fs = require('fs');
const path = require('path');
const { spawn, execFileSync } = require('child_process');
const { UserError } = require('./log.cjs');

const windows = process.platform === 'win32';
const leash = path.join(__dirname, 'leash.cjs');
const alive = new Set();

/**
 * What tells this process from a later one with the same number: its start time. Empty when there is no
 * such process (a zombie counts as none).
 */
function identityOf(pid) {
  if (!Number.isInteger(pid) || pid < 2) return '';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return '';
  }
  try {
    if (process.platform === 'linux') {
      // The command's name, in brackets, may hold spaces: fields are counted from the last bracket.
      const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? '' : fields[19];
    }
    if (!windows) return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch (error) {
    return '';
  }
  return 'running';
}

/** Sends a signal to a process and, where it leads a group of its own, to the whole group. */
function signal(pid, name) {
  try {
    process.kill(windows ? pid : -pid, name);
  } catch (error) {
    try {
      process.kill(pid, name);
    } catch (gone) {
      // It ended between the look and the signal.
    }
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `check` until it answers something true; gives that, or false after `limitMs`. */
async function until(check, limitMs, everyMs) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    if (Date.now() >= deadline) return false;
    await sleep(everyMs || 100);
  }
}

/** Feeds a stream to `onLine` by whole lines. */
function eachLine(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) onLine(line.replace(/\r$/, ''));
  });
  stream.on('end', () => {
    if (rest) onLine(rest);
  });
}

/**
 * A long-lived child in a process group of its own, so that Ctrl-C at the terminal reaches only us and we
 * decide the order of stopping. A Node child gets the leash: when this process is gone, however it ended,
 * the child stops by itself. `options`: name, command or script (a Node file), args, env, cwd, uid, gid, onLine(line,
 * stream), onMessage(message), inherit (the child writes straight to our own output).
 */
function startChild(options) {
  const node = options.script !== undefined;
  const command = node ? process.execPath : options.command;
  const args = (node ? ['--require', leash, options.script] : []).concat(options.args || []);
  const output = options.inherit ? 'inherit' : 'pipe';
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: node ? ['ignore', output, output, 'ipc'] : ['ignore', output, output],
    detached: !windows,
    windowsHide: true,
  });
  const handle = { name: options.name, pid: child.pid, code: null, signal: null, running: true, ready: null };
  const tail = [];
  function line(text, stream) {
    tail.push(text);
    if (tail.length > 40) tail.shift();
    if (options.onLine) options.onLine(text, stream);
  }
  if (!options.inherit) {
    eachLine(child.stdout, (text) => line(text, 'stdout'));
    eachLine(child.stderr, (text) => line(text, 'stderr'));
  }
  let resolveReady;
  const readiness = new Promise((resolve) => {
    resolveReady = resolve;
  });
  child.on('message', (message) => {
    if (message && message.ready) {
      handle.ready = message;
      resolveReady(message);
    }
    if (options.onMessage) options.onMessage(message);
  });
  handle.exited = new Promise((resolve) => {
    function ended(code, name) {
      if (!handle.running) return;
      handle.running = false;
      handle.code = code;
      handle.signal = name;
      alive.delete(handle);
      resolve(handle);
    }
    child.on('error', (error) => {
      line(String(error.message), 'stderr');
      if (child.pid === undefined) ended(127, null);
    });
    child.on('exit', ended);
  });
  handle.tail = () => tail.slice();
  handle.send = (name) => {
    if (handle.running) signal(handle.pid, name);
  };
  /** Waits for the child's `{ready: true}` message; fails with its last lines when it ends first or takes too long. */
  handle.waitReady = async (limitMs) => {
    let timer;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs, 'timeout');
    });
    const first = await Promise.race([readiness, handle.exited, timeout]);
    clearTimeout(timer);
    if (first !== 'timeout' && first !== handle) return first;
    // The pipe may still hold what the child said last.
    await sleep(50);
    const what =
      first === 'timeout'
        ? 'was not ready within ' + limitMs / 1000 + ' s'
        : 'ended at start (' + (handle.signal || 'code ' + handle.code) + ')';
    throw new UserError(options.name + ' ' + what + lastLines(tail));
  };
  /** Asks the child to stop, and ends its whole group when it does not within the grace time. */
  handle.stop = async (graceMs) => {
    if (!handle.running) return;
    try {
      // Only the child itself: it ends its own helpers in its own order.
      process.kill(handle.pid, windows ? 'SIGKILL' : 'SIGTERM');
    } catch (error) {
      // Already gone; its exit event is on the way.
    }
    const timer = setTimeout(() => handle.send('SIGKILL'), graceMs === undefined ? 15000 : graceMs);
    await handle.exited;
    clearTimeout(timer);
  };
  if (child.pid !== undefined) alive.add(handle);
  return handle;
}

function lastLines(lines) {
  return lines.length === 0
    ? '.'
    : ':\n' +
        lines
          .slice(-20)
          .map((line) => '  ' + line)
          .join('\n');
}

/** Last resort: nothing that we started outlives this process. */
process.on('exit', () => {
  for (const handle of alive) signal(handle.pid, 'SIGKILL');
});

/**
 * Calls back once when the process that started us is gone. npm runs a script through a shell, which does not pass
 * SIGTERM on: without this, ending npm would leave us running.
 */
function onParentGone(callback) {
  if (windows) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}

/**
 * Runs a command to its end and gives `{code, output, errors, timedOut, seconds}`. `options`: cwd, env, limitMs, shell,
 * separate (stderr goes to `errors`, not to `output`), log and label (a line every 15 s while it works).
 */
function run(command, args, options) {
  const settings = options || {};
  return new Promise((resolve) => {
    const began = Date.now();
    let output = '';
    let errors = '';
    let timedOut = false;
    const child = spawn(command, args, {
      cwd: settings.cwd,
      env: settings.env || process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: settings.shell === true,
      detached: !windows,
      windowsHide: true,
    });
    const handle = { pid: child.pid };
    if (child.pid !== undefined) alive.add(handle);
    const ticker = setInterval(() => {
      if (settings.log)
        settings.log('  still ' + settings.label + ' (' + Math.round((Date.now() - began) / 1000) + ' s)');
    }, 15000);
    const limit = settings.limitMs
      ? setTimeout(() => {
          timedOut = true;
          signal(child.pid, 'SIGKILL');
        }, settings.limitMs)
      : null;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-200000);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (settings.separate) errors = (errors + text).slice(-200000);
      else output = (output + text).slice(-200000);
    });
    let done = false;
    function finish(code) {
      if (done) return;
      done = true;
      alive.delete(handle);
      clearInterval(ticker);
      if (limit) clearTimeout(limit);
      resolve({ code, output, errors, timedOut, seconds: (Date.now() - began) / 1000 });
    }
    child.on('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.on('close', (code) => finish(code === null ? 1 : code));
  });
}

/** The path of a program found on PATH, or empty. */
function onPath(name) {
  const names = windows ? [name + '.exe', name + '.cmd', name] : [name];
  for (const folder of (process.env.PATH || '').split(path.delimiter)) {
    for (const candidate of names) {
      const file = path.join(folder || '.', candidate);
      try {
        if (!fs.statSync(file).isFile()) continue;
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch (error) {
        // Not here.
      }
    }
  }
  return '';
}

/** The first line of a program's failure that says something, short enough for one line. */
function reasonOf(output) {
  const lines = output
    .replace(/error sending request for url \(\S+\):? ?/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const telling =
    lines.find((line) => /error|fail|cannot|could not|denied|refused|not found|unable/i.test(line)) ||
    lines[lines.length - 1] ||
    'no output';
  return telling.length > 220 ? telling.slice(0, 220) + '…' : telling;
}

module.exports = { onParentGone, identityOf, signal, sleep, until, startChild, run, onPath, reasonOf, windows };
