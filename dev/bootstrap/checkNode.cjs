'use strict';

/**
 * Ends the process with one clear line when this Node is too old, and warns where it still works but gets no fixes any
 * more. Everything that is loaded before this call has to parse on Node 12, or the reader would see a SyntaxError in
 * place of this line.
 */
module.exports = function checkNode() {
  const parts = process.versions.node.split('.').map(Number);
  const isAtLeast = (major, minor) => parts[0] > major || (parts[0] === major && parts[1] >= minor);
  if (isAtLeast(22, 13)) return;
  const line = 'Msgdesk needs Node 22.13 or newer; this is v' + process.versions.node;
  if (isAtLeast(20, 18)) return console.error(line + ', with which it is not tested: it goes on');
  console.error(line);
  process.exit(1);
};
