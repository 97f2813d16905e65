import path from 'node:path';

/** The repository: two levels up from here, three from the compiled copy. */
export const root = __dirname.split(path.sep).includes('dist')
  ? path.join(__dirname, '..', '..', '..')
  : path.join(__dirname, '..', '..');

/** The workflow bundle of the last build; `npm test` builds before it tests. */
export const bundlePath = path.join(root, 'dist', 'worker', 'workflowBundle.js');
/** The one that a worker takes whose traces are on. */
export const tracedBundlePath = path.join(root, 'dist', 'worker', 'workflowBundle.traced.js');
