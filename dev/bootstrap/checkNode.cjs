'use strict';

/**
 * Ends the process with one clear line when this Node is too old. Everything that is loaded
 * before this call has to parse on Node 12, or the reader would see a SyntaxError in place of this line.
 */
module.exports = function checkNode() {
  const parts = process.versions.node.split('.').map(Number);
  if (parts[0] > 20 || (parts[0] === 20 && parts[1] >= 11)) return;
  const wanted = parts[0] === 20 ? '20.11' : '20';
  console.error('Msgdesk needs Node ' + wanted + ' or newer; this is v' + process.versions.node);
  process.exit(1);
};
