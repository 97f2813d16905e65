'use strict';

const path = require('path');

/** What otplib, single sign-on and its test, and file-type stand on. */
const esModules =
  '(@scure|@noble|openid-client|oauth4webapi|jose|oidc-provider|file-type|strtok3|token-types|uint8array-extras|' +
  '@tokenizer|@borewit)';

/** Compiled by swc: types are checked once, by the compiler, before the tests. */
const compiled = (parser) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', ...parser },
      target: 'es2022',
      keepClassNames: true,
      transform: { react: { runtime: 'automatic', importSource: 'hono/jsx' } },
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];
const transform = {
  '^.+\\.ts$': compiled({}),
  '^.+\\.tsx$': compiled({ tsx: true }),
  // There as ES modules only, which Node loads and jest does not.
  [`/node_modules/${esModules}/.+\\.js$`]: [
    '@swc/jest',
    { jsc: { parser: { syntax: 'ecmascript' }, target: 'es2022' }, module: { type: 'commonjs' } },
  ],
};

/** Folders below test/ that need the real stack, by the project that runs their files one by one. */
const folders = {
  api: ['api', 'models', 'activities'],
  workflows: ['workflows'],
  mcp: ['mcp', 'oauth', 'agents'],
  dashboard: ['dashboard'],
  // All of the above and the units, many files at a time: the whole gate. Snapshots belong to the file that runs them.
  gate: ['lanes', 'agents', 'mcp/recorded'],
  // Slow by nature: a run of its own (`npm run test:faults`).
  faults: ['faults'],
};

function base(name) {
  return {
    displayName: name,
    rootDir: __dirname,
    testEnvironment: '<rootDir>/test/support/environment.ts',
    transform,
    transformIgnorePatterns: [`/node_modules/(?!${esModules}/)`],
    moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'json', 'node'],
    // Compiled copies of everything lie in dist.
    modulePathIgnorePatterns: ['<rootDir>/dist/'],
    testPathIgnorePatterns: ['/node_modules/'],
    // What they declare first is done first: costs are noted while the browser still runs.
    setupFilesAfterEnv: [...(process.env.TEST_COSTS === '1' ? ['costsOfRun'] : []), 'endings'].map(
      (name) => `<rootDir>/test/support/${name}.ts`,
    ),
  };
}

function real(name) {
  return Object.assign(base(name), {
    testMatch: folders[name].map((folder) => '<rootDir>/test/' + folder + '/**/*.test.ts'),
    globalSetup: path.join(__dirname, 'test', 'support', 'globalSetup.ts'),
    globalTeardown: path.join(__dirname, 'test', 'support', 'globalTeardown.ts'),
  });
}

module.exports = {
  // More than a small machine's two processors: many suites wait for timers and other processes.
  maxWorkers: 3,
  // For everybody, and longer only where it says so: jest reads it from here only. Nobody asserts how long things take;
  // it is for what never ends, on a machine that is ten times slower, too. What is tried more often has longer.
  testTimeout: 300000 * Number(process.env.TEST_RUNS || 1),
  projects: [
    // Whatever lies in no other project's folder, so that no test is forgotten.
    Object.assign(base('unit'), {
      testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/dev/sandbox/test/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/'].concat(
        [].concat(...Object.values(folders)).map((folder) => '<rootDir>/test/' + folder + '/'),
      ),
    }),
  ].concat(Object.keys(folders).map(real)),
};
