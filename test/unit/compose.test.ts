import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { loadConfig, settingNames } from '../../api/core/config';
import { root } from '../support/settings';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const text = read('docker-compose.yml');
const { services } = safeLoad(text) as { services: Readonly<Record<string, Service>> };
const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('msgdesk'));

/** Variables that compose takes from its `.env`: those that it insists on, and the defaults of the others. */
const variables = [...text.matchAll(/\$\{(\w+)(?:(:-|:\?)([^}]*))?\}/g)].map(([, name = '', kind = '', rest = '']) => ({
  name,
  required: kind === ':?',
  fallback: kind === ':-' ? rest : null,
}));
const requiredNames = new Set(variables.filter(({ required }) => required).map(({ name }) => name));

/** What the topology itself decides: addresses within it, and its own Temporal, which asks for no key. */
const decided = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_API_KEY',
  'TASK_QUEUE_PREFIX',
  'WORKER_PORT',
  'WORKER_ROLES',
];

describe('docker-compose.yml', () => {
  it('starts one of each part of the service, after what it needs', () => {
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
    expect([...requiredNames].sort()).toEqual(
      ['BASE_URL', 'MSGAPP_API_URL', 'POSTGRES_PASSWORD', 'SECRETS_KEY', 'TRUST_PROXY'].sort(),
    );
    for (const { name, required } of variables.filter((variable) => requiredNames.has(variable.name)))
      expect([name, required]).toEqual([name, true]);
  });

  it('is told of all of these in the README', () => {
    const [, example = ''] = /cat > \.env <<END\n([\s\S]*?)END\n/.exec(read('README.md')) ?? [];
    const named = example.split('\n').flatMap((line) => (line.includes('=') ? [line.split('=')[0]] : []));
    expect(new Set(named)).toEqual(requiredNames);
  });

  it('passes every setting on to every part of the service, and none that does not exist', () => {
    for (const [name, { environment = {} }] of ours) {
      const passed = Object.keys(environment);
      expect([name, passed.filter((setting) => !settingNames.includes(setting))]).toEqual([name, []]);
      const missing = settingNames.filter((setting) => !passed.includes(setting) && !decided.includes(setting));
      expect([name, missing]).toEqual([name, []]);
    }
  });

  it('gives settings that the service accepts, filled in as the README says', () => {
    const given: Readonly<Record<string, string>> = {
      POSTGRES_PASSWORD: 'abc',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      BASE_URL: 'https://desk.example.com',
      MSGAPP_API_URL: 'https://platform.example.com',
      TRUST_PROXY: '1',
    };
    for (const [, { environment = {} }] of ours) {
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        String(value).replace(
          /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
          (_match, variable: string, rest = '') => given[variable] ?? (requiredNames.has(variable) ? '' : String(rest)),
        ),
      ]);
      const config = loadConfig(Object.fromEntries(filled) as Record<string, string>);
      expect(config).toMatchObject({ trustProxy: 1, rateLimitPerMinute: 60 });
    }
  });

  it('opens ports on this machine only unless told otherwise', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toHaveLength(2);
    for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{BIND_ADDRESS:-127\.0\.0\.1\}):/);
  });
});

describe('.env.example', () => {
  it('lists every setting', () => {
    const listed = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect(settingNames.filter((name) => !listed.includes(name))).toEqual([]);
  });
});
