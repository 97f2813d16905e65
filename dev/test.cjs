'use strict';

// This file and checkNode.cjs must parse on any Node.
require('./bootstrap/checkNode.cjs')();
require('./bootstrap/launch.cjs').launch('test', { failed: '0 passed, 1 failed' });
