'use strict';

const { isBuiltin } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

const tests = path.resolve(__dirname, '..', '..') + path.sep;

/** Holds the shared modules of this jest process: made with its first test file and never torn down. */
let shared;

/**
 * Loads packages and the product once per jest process, as a process of the product does, and the modules of test/ anew
 * for every file. Jest would load everything anew: about two seconds of processor time per file. `jest.mock` reaches
 * modules of test/ only; spies do reach the product, and end with their file.
 */
module.exports = class SharingRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { watch, watchAll } = given.at(-1);
    // Who watches wants to see changes of the product.
    if (watch || watchAll) shared = undefined;
    shared ??= new Runtime(...given);
  }

  requireModuleOrMock(from, name) {
    return isShared(from, name) ? shared.requireModuleOrMock(from, name) : super.requireModuleOrMock(from, name);
  }

  /** Says which lines of the sources those of shared modules are, too. */
  getSourceMaps() {
    const own = super.getSourceMaps();
    const others = shared.getSourceMaps();
    return {
      get: (file) => own.get(file) ?? others.get(file),
      [Symbol.iterator]: () => [...own, ...others][Symbol.iterator](),
    };
  }
};

function isShared(from, name) {
  if (name.startsWith('.')) return !path.resolve(from, '..', name).startsWith(tests);
  return !path.isAbsolute(name) && !isBuiltin(name) && name !== '@jest/globals';
}
