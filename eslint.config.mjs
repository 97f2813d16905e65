import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** What holds for scripts of browsers, too. */
const errors = (...names) => Object.fromEntries(names.map((name) => [name, 'error']));
const scriptRules = [
  ...['no-unused-vars', 'no-dupe-keys', 'no-unreachable', 'no-const-assign', 'no-self-assign', 'no-cond-assign'],
  ...['no-fallthrough', 'eqeqeq', 'no-var', 'prefer-const', 'no-console'],
];

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
    ignores: ['test/**', 'dev/sandbox/test/**'],
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
);
