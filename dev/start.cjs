'use strict';

// This file and checkNode.cjs must parse on any Node.
require('./bootstrap/checkNode.cjs')();
require('./bootstrap/launch.cjs').launch('start', { isForStart: true });
