import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Who may import whom at run time (ARCHITECTURE.md, rooms). Types are free: they leave no trace in the program. */
const workflowSdk = '@temporalio/workflow';
const everywhereForbidden = {
  express: ['api/app.ts', 'api/doors/'],
  mcp: ['api/doors/mcp/'],
  temporalClient: ['api/core/temporal/client.ts', 'api/core/temporal/namespace.ts'],
};

const groups = {
  express: {
    group: ['express', 'express/*', 'express-rate-limit', 'helmet'],
    message: 'express lives in the doors and the app.',
  },
  mcp: { group: ['@modelcontextprotocol/*'], message: 'The MCP SDK lives in api/doors/mcp.' },
  temporalClient: { group: ['@temporalio/client'], message: 'The engine is reached through api/core/temporal/client.' },
  database: {
    group: ['sequelize', 'umzug', 'pg'],
    message: 'The database is reached through api/core/db/database and models.',
  },
  workerSdk: {
    group: ['@temporalio/worker', '@temporalio/activity', '@temporalio/testing'],
    message: 'Workers are made in worker/.',
  },
};

/** Folders of the repository seen from anywhere, by the last part of the path up to them. */
const room = (...names) => names.map((name) => `**/${name}/**`);
const rooms = (names, message) => ({ group: room(...names), message });

/** The words that columns hold are for everybody; the tables are not. */
const tables = { group: [...room('models'), '!**/models/enums'], message: 'Doors reach tables through services.' };

/** The rules of one room: which of the named packages and rooms it must not import. */
function forbid(files, patterns, ignores = []) {
  return {
    files,
    ignores,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: patterns.map((pattern) => ({ ...pattern, allowTypeImports: true })) },
      ],
    },
  };
}

/** What holds for scripts of browsers, too. */
const errors = (...names) => Object.fromEntries(names.map((name) => [name, 'error']));
const scriptRules = [
  ...['no-unused-vars', 'no-dupe-keys', 'no-unreachable', 'no-const-assign', 'no-self-assign', 'no-cond-assign'],
  ...['no-fallthrough', 'eqeqeq', 'no-var', 'prefer-const', 'no-console'],
];

const outer = ['worker', 'activities', 'admin', 'dev', 'bench', 'test'];
const { express, mcp, temporalClient, database, workerSdk } = groups;

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.data/', 'coverage/', 'jest.config.cjs', '**/*.mjs'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: { project: ['tsconfig.json', 'tsconfig.browser.json'], tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector: "MemberExpression[object.name='process']:matches([property.name='env'], [property.value='env'])",
          message: 'The environment is read by api/core/config; everything else gets its settings passed in.',
        },
      ],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-console': 'error',
    },
  },
  {
    // What stands around the service reads its own settings.
    files: ['api/core/config.ts', 'dev/**', 'test/**', 'bench/**'],
    rules: {
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' }],
    },
  },
  {
    // What browsers load from the sandbox: no type check finds a wrong name there.
    files: ['dev/sandbox/page/**/*.js'],
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: 'module',
      globals: Object.fromEntries(
        [
          ...['clearTimeout', 'setInterval', 'setTimeout', 'fetch', 'URLSearchParams', 'EventSource', 'ResizeObserver'],
          ...['document', 'localStorage', 'location', 'window'],
        ].map((name) => [name, 'readonly']),
      ),
    },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: errors('no-undef', 'no-redeclare', ...scriptRules),
  },
  {
    // What browsers load from the dashboard: names are the type check's (tsconfig.browser.json).
    files: ['api/doors/dashboard/assets/*.js'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'script' },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: errors(...scriptRules),
  },
  {
    // What runs before anything is installed, and what jest loads by itself.
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { eqeqeq: 'error', 'no-var': 'error', 'prefer-const': 'error', 'no-unused-vars': 'error' },
  },
  {
    // What others write must not be able to hold up a process or a page, however long it is.
    files: ['**/*.{ts,js,cjs}'],
    ignores: ['test/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  // Programs that write for people to a terminal.
  { files: ['admin/**', 'dev/**', 'bench/**'], rules: { 'no-console': 'off' } },
  // The type of all tables is what this function gives.
  { files: ['models/index.ts'], rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' } },
  // Jest calls what these export by default.
  {
    files: ['test/support/globalSetup*.ts', 'test/support/globalTeardown.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },

  forbid(
    ['models/**/*.ts'],
    [rooms([...outer, 'api', 'workflows'], 'Models import nothing of ours.'), express, mcp, temporalClient, workerSdk],
  ),
  forbid(
    ['workflows/**/*.ts'],
    [
      {
        regex: `^(?!${workflowSdk}$|\\./)`,
        message:
          'Workflow modules import the workflow SDK and their own folder; any other import costs memory per workflow.',
      },
    ],
  ),
  forbid(['workflows/contract.ts'], [{ regex: '.', message: 'The contract imports nothing.' }]),
  forbid(['workflows/starts.ts'], [{ regex: '^(?!\\./contract$)', message: 'Starts import the contract alone.' }]),
  forbid(
    ['api/core/**/*.ts'],
    [
      rooms([...outer, 'doors', 'services'], 'Core stands below services and doors.'),
      express,
      mcp,
      temporalClient,
      workerSdk,
    ],
    everywhereForbidden.temporalClient,
  ),
  forbid(everywhereForbidden.temporalClient, [
    rooms([...outer, 'doors', 'services'], 'Core stands below services and doors.'),
    express,
    mcp,
    workerSdk,
  ]),
  forbid(
    ['api/services/**/*.ts'],
    [
      rooms([...outer, 'doors'], 'Services know nothing of doors.'),
      express,
      mcp,
      temporalClient,
      workerSdk,
      { group: ['@temporalio/*'], message: 'Services know nothing of the engine.' },
    ],
  ),
  forbid(
    ['api/doors/**/*.ts'],
    [rooms(outer, 'Doors stand above services only.'), tables, mcp, temporalClient, database, workerSdk],
    everywhereForbidden.mcp,
  ),
  forbid(
    ['api/doors/mcp/**/*.ts'],
    [rooms(outer, 'Doors stand above services only.'), tables, temporalClient, database, workerSdk],
  ),
  forbid(
    ['api/*.ts'],
    [rooms(outer, 'The API stands apart from the worker and the tools.'), mcp, temporalClient, database, workerSdk],
  ),
  forbid(
    ['activities/**/*.ts'],
    [
      rooms(['worker', 'admin', 'dev', 'bench', 'test', 'models', 'doors'], 'Activities call services.'),
      express,
      mcp,
      temporalClient,
      database,
    ],
  ),
  forbid(
    ['worker/**/*.ts'],
    [
      rooms(['admin', 'dev', 'bench', 'test', 'doors'], 'The worker runs activities and services.'),
      express,
      mcp,
      temporalClient,
    ],
  ),
  forbid(
    ['admin/**/*.ts'],
    [
      rooms(['worker', 'activities', 'dev', 'bench', 'test', 'doors'], 'The CLI calls services.'),
      express,
      mcp,
      temporalClient,
      workerSdk,
    ],
  ),
);
