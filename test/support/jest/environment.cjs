'use strict';

const { TestEnvironment } = require('jest-environment-node');

/** What jest keeps among the globals for one test file. */
const ofOneFile =
  /^(JEST_STATE_SYMBOL|EVENT_HANDLERS|TEST_TIMEOUT_SYMBOL|RETRY_.*|WAIT_BEFORE_RETRY|LOG_ERRORS_BEFORE_RETRY)$/;

let world;

/** Gives all test files of a jest process one global scope, so that they can share modules (runtime.cjs). */
module.exports = class SharedEnvironment {
  constructor(config, context) {
    world ??= new TestEnvironment(config, context);
    this.global = world.global;
    this.moduleMocker = world.moduleMocker;
    this.fakeTimers = world.fakeTimers;
    this.fakeTimersModern = world.fakeTimersModern;
  }

  async setup() {}

  async teardown() {
    for (const key of Object.getOwnPropertySymbols(this.global))
      if (ofOneFile.test(key.description ?? '')) delete this.global[key];
  }

  exportConditions() {
    return world.exportConditions();
  }

  getVmContext() {
    return world.getVmContext();
  }
};
