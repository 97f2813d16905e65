'use strict';

/**
 * Ends the process with one clear line when this Node is too old. Where it still works but gets no fixes any more, it
 * warns; not when `quiet`, as beside a start that has said it. Everything that is loaded before this call has to parse
 * on Node 12, or the reader would see a SyntaxError in place of this line.
 */
module.exports = function checkNode(options) {
  const parts = process.versions.node.split('.').map(Number);
  const isAtLeast = (major, minor) => parts[0] > major || (parts[0] === major && parts[1] >= minor);
  if (isAtLeast(22, 13)) return;
  if (isAtLeast(20, 18)) {
    const old = 'This is Node v' + process.versions.node + ', which gets no fixes any more';
    if (!options || !options.quiet) console.error(old + ': Msgdesk is meant for Node 22.13 or newer.');
    return;
  }
  console.error('Msgdesk needs Node 22.13 or newer; this is v' + process.versions.node + '.');
  process.exit(1);
};
