import path from 'node:path';

/** The prebuilt bundles of the workflows; the larger one with tracing is loaded when tracing is on. */
export const bundlePaths = {
  plain: path.join(__dirname, 'workflowBundle.js'),
  traced: path.join(__dirname, 'workflowBundle.traced.js'),
} as const;
