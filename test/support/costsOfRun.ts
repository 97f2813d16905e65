import path from 'node:path';
import { countRun } from './costs';
import { root } from './settings';

/* Read by jest before each file that it runs, where TEST_COSTS=1 asks for what they take. */
countRun(path.relative(root, expect.getState().testPath ?? '').replaceAll('\\', '/'));
