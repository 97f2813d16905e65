'use strict';

/*
 * Who may import whom (ARCHITECTURE.md, rooms): `npm run lint` and `npm test` check it. Types are free but for circles:
 * they leave no trace in the program.
 */

const product = '^(api|models|workflows|activities|worker|admin)/';
const contract = '^workflows/(contract|starts)[.]ts$';
const atRunTime = { dependencyTypesNot: ['type-only'] };
const ours = '^(api|models|workflows|activities|worker|admin|dev|bench|test)/';

/** A room, and the files of ours that it may load. */
const room = (name, from, mayLoad) => ({
  name,
  severity: 'error',
  from,
  to: { path: ours, pathNot: mayLoad, ...atRunTime },
});

const inFolder = (...folders) => folders.map((folder) => `^${folder}/`);

/** The rooms of `api/core`, lowest first: each may load those before it. What belongs to all stands at the top. */
const core = ['http', 'db', 'temporal', 'queue', 'platform'];
/** The floors of the services, lowest first. */
const services = ['identity', 'resources', 'delivery', 'processes'];

const upwards = (place, order) =>
  order.slice(0, -1).map((name, index) => ({
    name: `${place}/${name} stands below`,
    severity: 'error',
    from: { path: `^${place}/${name}/` },
    to: { path: `^${place}/(${order.slice(index + 1).join('|')})/`, ...atRunTime },
  }));

/** A package, and the only places of the product that load it. */
const home = (packages, ...places) => ({
  name: `${packages} has one home`,
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
    room('models know themselves alone', { path: '^models/' }, inFolder('models')),
    room('core stands below services and doors', { path: '^api/core/' }, [...inFolder('api/core', 'models'), contract]),
    room('services know nothing of doors', { path: '^api/services/' }, [
      ...inFolder('api/services', 'api/core', 'models'),
      contract,
    ]),
    room('doors reach tables through services', { path: '^api/doors/' }, [
      ...inFolder('api/doors', 'api/services', 'api/core'),
      '^models/enums[.]ts$',
      contract,
    ]),
    room('the API stands apart from worker and tools', { path: '^api/[^/]+$' }, inFolder('api')),
    room('activities call services', { path: '^activities/' }, [
      ...inFolder('activities', 'api/services', 'api/core'),
      contract,
    ]),
    room('the worker runs activities and services', { path: '^worker/' }, [
      ...inFolder('worker', 'activities', 'api/services', 'api/core', 'models'),
      contract,
    ]),
    room('the CLI calls services', { path: '^admin/' }, [
      ...inFolder('admin', 'api/services', 'api/core'),
      '^models/migrate[.]ts$',
      contract,
    ]),
    room(
      'launchers load each other: the rest is not built when they begin',
      { path: '^dev/(commands|lib|postgres|temporal|timeSkipping|topology)/' },
      inFolder('dev/(commands|lib|postgres|temporal|timeSkipping|topology)'),
    ),
    {
      name: 'the top of core is loaded by those above core',
      comment: 'The runtime is put together of the folders; they are given it.',
      severity: 'error',
      from: { path: '^api/core/[^/]+/' },
      to: { path: '^api/core/[^/]+[.]ts$', ...atRunTime },
    },
    ...upwards('api/core', core),
    {
      name: 'services stand on four floors',
      severity: 'error',
      from: { path: product },
      to: { path: '^api/services/', pathNot: `^api/services/(${services.join('|')})/` },
    },
    ...upwards('api/services', services),

    home('express|express-rate-limit|helmet', '^api/doors/', '^api/app[.]ts$'),
    home('@modelcontextprotocol', '^api/doors/mcp/'),
    home('@temporalio/(client|proto)', '^api/core/temporal/'),
    home('@temporalio/workflow', '^workflows/'),
    home('@temporalio/worker', '^worker/'),
    home('@temporalio', '^api/core/', '^workflows/', '^activities/', '^worker/'),
    home('sequelize', '^models/', '^api/core/', '^api/services/'),
    home('umzug', '^models/'),
    home('pg', '^models/', '^api/core/', '^worker/events[.]ts$'),
    home('yup', '^api/core/', '^api/services/'),
    home('undici', '^api/core/'),
    home('@node-oauth/oauth2-server', '^api/services/identity/oauth/'),
    home('eta', '^api/doors/dashboard/'),

    {
      name: 'what is installed for work on the service is no part of it',
      severity: 'error',
      from: { path: product },
      to: { dependencyTypes: ['npm-dev'], ...atRunTime },
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
