'use strict';

// This file and checkNode.cjs must parse on any Node.
require('./bootstrap/checkNode.cjs')({ quiet: true });
require('./bootstrap/launch.cjs').launch('admin', { quiet: true, isForStart: true });
