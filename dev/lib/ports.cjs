'use strict';

const net = require('net');
const { UserError } = require('./log.cjs');

function tryListen(port, host) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

function close(server) {
  return new Promise((resolve) => server.close(resolve));
}

/** `count` different ports that were free a moment ago, chosen by the operating system. */
async function freePorts(count) {
  const servers = [];
  for (let index = 0; index < count; index += 1) servers.push(await tryListen(0, '127.0.0.1'));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map(close));
  return ports;
}

/** Throws one error that names every port of `wanted` ({port, variable, what}) that cannot be used. */
async function checkPorts(wanted) {
  const problems = [];
  const seen = new Map();
  for (const item of wanted) {
    if (seen.has(item.port)) {
      problems.push(item.variable + ' and ' + seen.get(item.port) + ' both ask for port ' + item.port + '.');
      continue;
    }
    seen.set(item.port, item.variable);
    // The wildcard address too: elsewhere than on Linux a server on it does not stop us from binding 127.0.0.1.
    for (const host of ['127.0.0.1', '::']) {
      try {
        await close(await tryListen(item.port, host));
      } catch (error) {
        if (host === '::' && error.code !== 'EADDRINUSE') continue;
        const why = error.code === 'EADDRINUSE' ? 'is already in use' : 'cannot be used (' + error.code + ')';
        problems.push(
          'Port ' +
            item.port +
            ' (' +
            item.what +
            ') ' +
            why +
            '. Free it, or choose another with ' +
            item.variable +
            '=<port>.',
        );
        break;
      }
    }
  }
  if (problems.length > 0) throw new UserError(problems.join('\n'));
}

module.exports = { freePorts, checkPorts };
