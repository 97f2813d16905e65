'use strict';

const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const tests = path.resolve(__dirname, '..', '..');

/**
 * What takes longest goes first, so that nothing long is left at the end: single files that take much longer than their
 * size says, then folders; the tests of workflows wait more than they compute, while format and lint compute.
 */
const first = [
  'faults/loadFaults',
  'faults/idempotencyFaults',
  'faults/topology',
  'faults/restores',
  'api/tour',
  'api/bodyForms',
  'dashboard/sandboxPage',
  'dashboard/everyPage',
  'workflows/',
  'mcp/once',
  'dashboard/permissions',
  'api/hostile',
  'api/macroAtomicity',
  'api/listPlans',
  'api/webhookReceivers',
  'dashboard/',
];

/** Orders test files where jest has not measured them yet, as on a clean clone; else it knows better. */
module.exports = class LongestFirst extends Sequencer {
  sort(files) {
    const sorted = super.sort(files);
    const place = ({ path: file, duration }) => {
      const name = path.relative(tests, file);
      const found = first.findIndex((start) => name.startsWith(start));
      return duration !== undefined || found < 0 ? first.length : found;
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
};
