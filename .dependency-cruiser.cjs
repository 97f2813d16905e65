'use strict';

/*
 * Who may import whom (ARCHITECTURE.md, Folders): `npm run lint` and `npm test` check it. Types are free but for circles:
 * they leave no trace in the program.
 */

const product = '^(api|models|workflows|activities|worker|admin)/';
const contract = '^workflows/(contract|queues|starts)[.]ts$';
const atRunTime = { dependencyTypesNot: ['type-only'] };
const ours = '^(api|models|workflows|activities|worker|admin|dev|bench|test)/';

/** A layer, and the files of ours that it may load. */
const layer = (name, from, mayLoad) => ({
  name,
  severity: 'error',
  from,
  to: { path: ours, pathNot: mayLoad, ...atRunTime },
});

const inFolder = (...folders) => folders.map((folder) => `^${folder}/`);

/** The folders of `api/core`, lowest first: each may load those before it. What belongs to all stands at the top. */
const core = ['text', 'files', 'http', 'db', 'temporal', 'queue', 'platform'];
/** The layers of the services, lowest first. */
const services = ['identity', 'resources', 'delivery', 'processes'];

const upwards = (place, order) =>
  order.slice(0, -1).map((name, index) => ({
    name: `${place}/${name} stands below`,
    severity: 'error',
    from: { path: `^${place}/${name}/` },
    to: { path: `^${place}/(${order.slice(index + 1).join('|')})/`, ...atRunTime },
  }));

/** A package, and the only places of the product that load it. */
const onlyIn = (packages, ...places) => ({
  name: `${packages} is loaded in one place`,
  severity: 'error',
  from: { path: product, pathNot: places },
  to: { path: `node_modules/(${packages})(/|$)`, ...atRunTime },
});

module.exports = {
  forbidden: [
    {
      name: 'workflows load the workflow SDK and nothing else',
      comment: 'Whatever a workflow module loads is held once per workflow.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', 'node_modules/@temporalio/workflow/'], ...atRunTime },
    },
    {
      name: 'the contract loads nothing',
      severity: 'error',
      from: { path: '^workflows/contract[.]ts$' },
      to: { path: '.', ...atRunTime },
    },
    {
      name: 'starts load the contract alone',
      severity: 'error',
      from: { path: '^workflows/starts[.]ts$' },
      to: { pathNot: '^workflows/contract[.]ts$', ...atRunTime },
    },
    layer('models know themselves alone', { path: '^models/' }, inFolder('models')),
    layer('core stands below services and interfaces', { path: '^api/core/' }, [
      ...inFolder('api/core', 'models'),
      contract,
    ]),
    layer('services know nothing of interfaces', { path: '^api/services/' }, [
      ...inFolder('api/services', 'api/core', 'models'),
      contract,
    ]),
    layer('interfaces reach tables through services', { path: '^api/doors/' }, [
      ...inFolder('api/doors', 'api/services', 'api/core'),
      '^models/enums[.]ts$',
      contract,
    ]),
    layer('the API stands apart from worker and tools', { path: '^api/[^/]+$' }, inFolder('api')),
    layer('activities call services', { path: '^activities/' }, [
      ...inFolder('activities', 'api/services', 'api/core'),
      contract,
    ]),
    layer('the worker runs activities and services', { path: '^worker/' }, [
      ...inFolder('worker', 'activities', 'api/services', 'api/core', 'models'),
      contract,
    ]),
    layer('the CLI calls services', { path: '^admin/' }, [
      ...inFolder('admin', 'api/services', 'api/core'),
      '^models/migrate[.]ts$',
      contract,
    ]),
    layer(
      'launchers load each other, and run the rest as processes',
      { path: '^dev/(commands|lib|postgres|temporal|tests|timeSkipping|topology)/' },
      inFolder('dev/(commands|lib|postgres|temporal|tests|timeSkipping|topology)'),
    ),
    {
      name: 'the sandbox stands alone',
      comment: 'A package of its own: not even types of ours.',
      severity: 'error',
      from: { path: '^dev/sandbox/' },
      to: { path: ours, pathNot: '^dev/sandbox/' },
    },
    {
      name: 'the product knows nothing of its tools',
      severity: 'error',
      from: { path: product },
      to: { path: '^(dev|bench|test)/' },
    },
    {
      name: 'the top of core is loaded by those above core',
      comment: 'The runtime is put together of the folders; they are given it.',
      severity: 'error',
      from: { path: '^api/core/[^/]+/' },
      to: { path: '^api/core/[^/]+[.]ts$', ...atRunTime },
    },
    ...upwards('api/core', core),
    {
      name: 'services stand in four layers',
      severity: 'error',
      from: { path: product },
      to: { path: '^api/services/', pathNot: `^api/services/(${services.join('|')})/` },
    },
    ...upwards('api/services', services),

    onlyIn('compression|express|express-rate-limit|helmet', '^api/doors/', '^api/app[.]ts$'),
    onlyIn('@modelcontextprotocol', '^api/doors/mcp/'),
    onlyIn('@temporalio/(client|proto)', '^api/core/temporal/'),
    onlyIn('@temporalio/workflow', '^workflows/'),
    onlyIn('@temporalio/worker', '^worker/'),
    onlyIn('@temporalio', '^api/core/', '^workflows/', '^activities/', '^worker/'),
    onlyIn('sequelize', '^models/', '^api/core/', '^api/services/'),
    onlyIn('umzug', '^models/'),
    onlyIn('pg', '^models/', '^api/core/', '^worker/events[.]ts$'),
    onlyIn('yup', '^api/core/', '^api/services/'),
    onlyIn('undici', '^api/core/'),
    onlyIn('@node-oauth/oauth2-server', '^api/services/identity/oauth/'),
    onlyIn('hono', '^api/doors/dashboard/'),

    {
      name: 'what is installed for work on the service is no part of it',
      severity: 'error',
      from: { path: product },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], ...atRunTime },
    },
    { name: 'no circle of files', severity: 'error', from: { path: product }, to: { circular: true } },
    {
      name: 'no circle of folders',
      severity: 'error',
      scope: 'folder',
      from: { path: product },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(api/doors/dashboard/assets|dist|test/api/clients)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
