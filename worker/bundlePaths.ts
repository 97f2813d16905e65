import path from 'node:path';

/** The prebuilt bundles of the workflows; the one with what traces them is larger, and loaded where traces are on. */
export const bundlePaths = {
  plain: path.join(__dirname, 'workflowBundle.js'),
  traced: path.join(__dirname, 'workflowBundle.traced.js'),
} as const;
