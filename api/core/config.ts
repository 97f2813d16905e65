import path from 'node:path';
import * as yup from 'yup';

const flag = (fallback: boolean) =>
  yup
    .boolean()
    .transform((_value, original: unknown) =>
      original === undefined || original === ''
        ? fallback
        : ['1', 'true', 'yes', 'on'].includes(String(original).toLowerCase()),
    )
    .default(fallback);
const wholeNumber = (fallback: number, min: number, max: number) =>
  yup
    .number()
    .integer()
    .min(min)
    .max(max)
    .transform((value: number, original: unknown) => (original === '' ? fallback : value))
    .default(fallback);
const optionalText = () => yup.string().trim().default('');

function keysOf(list: string): Buffer[] {
  return list.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
}

/** What a worker process can do; one does all of it unless told otherwise. */
const workerRoles = ['workflows', 'bulk', 'inbox', 'relay'] as const;
type WorkerRole = (typeof workerRoles)[number];

const environment = yup.object({
  LOG_LEVEL: yup.string().oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  HOST: yup.string().default('127.0.0.1'),
  PORT: wholeNumber(3000, 0, 65535),
  BASE_URL: yup
    .string()
    .matches(/^https?:\/\/[^/?#]+$/, {
      message: 'must be an origin like https://desk.example.com, without a trailing slash',
      excludeEmptyString: true,
    })
    .default(''),
  TRUST_PROXY: wholeNumber(0, 0, 10),
  DRAIN_SECONDS: wholeNumber(0, 0, 300),
  DATABASE_URL: yup
    .string()
    .required('is required: the address of a PostgreSQL database, postgres://user:password@host:port/name'),
  DATABASE_DIRECT_URL: optionalText(),
  DATABASE_REPLICA_URL: optionalText(),
  DATABASE_POOL: wholeNumber(0, 0, 200),
  DATABASE_PREPARE: flag(true),
  TEMPORAL_ADDRESS: yup.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: yup.string().default('default'),
  TEMPORAL_TLS_CERT: optionalText(),
  TEMPORAL_TLS_KEY: optionalText(),
  TEMPORAL_TLS_CA: optionalText(),
  TEMPORAL_TLS_SERVER_NAME: optionalText(),
  TEMPORAL_API_KEY: optionalText(),
  TEMPORAL_RETENTION_DAYS: wholeNumber(0, 0, 36_500),
  TEMPORAL_UI_URL: yup
    .string()
    .trim()
    .matches(/^https?:\/\/[^\s?#]*[^\s?#/]$/, {
      message: 'must be the address of the Temporal Web UI, without a trailing slash',
      excludeEmptyString: true,
    })
    .default(''),
  TEMPORAL_PREFIX: yup
    .string()
    .matches(/^[a-z0-9-]{1,40}$/, { excludeEmptyString: true })
    .default(''),
  MSGAPP_API_URL: yup
    .string()
    .matches(/^https?:\/\/.+[^/]$/, 'must be a URL without a trailing slash')
    .default('http://127.0.0.1:3001'),
  MSGAPP_API_VERSION: yup
    .string()
    .matches(/^v\d+\.\d+$/)
    .default('v23.0'),
  FILES_DIR: yup.string().trim().default('.data/files'),
  FILES_S3_BUCKET: optionalText(),
  FILES_S3_ENDPOINT: yup.string().trim().url().default(''),
  FILES_S3_REGION: yup.string().trim().default('us-east-1'),
  FILES_S3_ACCESS_KEY_ID: optionalText(),
  FILES_S3_SECRET_ACCESS_KEY: optionalText(),
  SECRETS_KEY: yup
    .string()
    .required('is required: 32 random bytes in base64, for example from `openssl rand -base64 32`')
    .test('length', 'must be 32 bytes in base64', (value) => keysOf(value ?? '').every((key) => key.length === 32)),
  RATE_LIMIT_PER_MINUTE: wholeNumber(60, 1, 1_000_000),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: wholeNumber(120, 1, 1_000_000),
  PLANS: yup
    .string()
    .transform((value: string) =>
      value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .join(','),
    )
    .matches(/^[^,]{1,64}(,[^,]{1,64})*$/, 'must be names of plans, separated by commas')
    .default('standard,pro'),
  RETAIN_AUDIT_DAYS: wholeNumber(365, 1, 36_500),
  RETAIN_ACTIVITY_DAYS: wholeNumber(730, 1, 36_500),
  RETAIN_WEBHOOK_EVENTS_DAYS: wholeNumber(30, 4, 36_500),
  WORKER_PORT: wholeNumber(0, 0, 65535),
  WORKER_ROLES: yup
    .string()
    .transform((value: string) =>
      [...new Set(value.split(',').map((name) => name.trim().toLowerCase()))].filter((name) => name !== '').join(','),
    )
    .matches(
      /^(workflows|bulk|inbox|relay)(,(workflows|bulk|inbox|relay))*$/,
      `must be some of ${workerRoles.join(', ')}, separated by commas`,
    )
    .default(workerRoles.join(',')),
  PLATFORM_CALLS: wholeNumber(600, 10, 100_000),
  WORKER_DEPLOYMENT: optionalText(),
  WORKER_BUILD_ID: optionalText().when('WORKER_DEPLOYMENT', {
    is: (name: string) => name !== '',
    then: (buildId) => buildId.required('is required beside WORKER_DEPLOYMENT'),
  }),
  DELIVERY_HOLD: flag(false),
  WEBHOOK_ALLOW_PRIVATE: flag(false),
  SMTP_URL: yup
    .string()
    .trim()
    .matches(/^smtps?:\/\/\S+$/, { message: 'must be smtp://… or smtps://…', excludeEmptyString: true })
    .default(''),
  MAIL_FROM: optionalText(),
  REFRESH_REUSE_GRACE_SECONDS: wholeNumber(0, 0, 3600),
  OTEL_EXPORTER_OTLP_ENDPOINT: yup.string().trim().url().default(''),
  OTEL_EXPORTER_OTLP_HEADERS: optionalText(),
  OTEL_SERVICE_NAME: optionalText(),
  OTEL_RESOURCE_ATTRIBUTES: optionalText(),
  OTEL_TRACES_SAMPLER: yup.string().matches(/^(parentbased_)?(always_on|always_off|traceidratio)$/, {
    message: 'must be always_on, always_off, traceidratio, or one of them after parentbased_',
    excludeEmptyString: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: optionalText(),
});

/** Names of all settings, for whoever must pass them on. */
export const settingNames: readonly string[] = Object.keys(environment.fields);

/** The service's settings, checked once at boot and passed in; nothing else reads the environment. */
export interface Config {
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** Public origin without a trailing slash; every URL that leaves the service begins with it. */
  readonly baseUrl: string;
  /** How many reverse proxies in front are trusted to tell the client's address. */
  readonly trustProxy: number;
  /** How long a process that was told to stop still takes requests, so that a balancer sees it first. */
  readonly drainSeconds: number;
  readonly databaseUrl: string;
  /** Past a pooler, for what needs a session of its own; the same database as `databaseUrl`. */
  readonly databaseDirectUrl: string;
  /** Whether `databaseUrl` leads to a pooler in transaction mode. */
  readonly databasePooled: boolean;
  /** A streaming standby that answers reads; empty: none. */
  readonly databaseReplicaUrl: string;
  /** Connections per process; 0 takes the process's own default. */
  readonly databasePool: number;
  /** Off behind a pooler that does not follow prepared statements. */
  readonly databasePrepare: boolean;
  readonly temporal: {
    readonly address: string;
    readonly namespace: string;
    readonly tls: boolean;
    readonly tlsCert: string;
    readonly tlsKey: string;
    readonly tlsCa: string;
    readonly tlsServerName: string;
    readonly apiKey: string;
    /** How long the namespace keeps what has ended, in days; 0 leaves it as it is. */
    readonly retentionDays: number;
    /** Begins workflow ids and task queues in place of the installation's id; empty: that id. */
    readonly prefix: string;
    /** Where members can look at workflows; empty: nowhere. */
    readonly uiUrl: string;
  };
  /** Calls that send, which a process makes at a time: those per second times the seconds that one takes. */
  readonly platformCalls: number;
  readonly upstream: { readonly url: string; readonly version: string };
  /** Where files lie: in the bucket, where one is named, else in the directory, which all processes share. */
  readonly files: {
    readonly directory: string;
    readonly s3: {
      readonly bucket: string;
      /** Empty: Amazon's own of the region. */
      readonly endpoint: string;
      readonly region: string;
      /** Empty: what the machine's own role or environment gives. */
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    } | null;
  };
  /** The key in use first; earlier ones behind it still open what was sealed with them. */
  readonly secretsKeys: readonly Buffer[];
  readonly rateLimitPerMinute: number;
  readonly anonymousRateLimitPerMinute: number;
  /** Names of the plans that a workspace may choose. */
  readonly plans: readonly string[];
  /** Days for which the kinds of record are kept that an operator decides about. */
  readonly retainDays: { readonly audit: number; readonly activity: number; readonly webhookEvents: number };
  readonly worker: {
    /** What Temporal knows this version of the workers by; null: it does not tell versions apart. */
    readonly version: { readonly deploymentName: string; readonly buildId: string } | null;
    /** Port of health and metrics; 0 for none. */
    readonly port: number;
    readonly roles: ReadonlySet<WorkerRole>;
  };
  /** Sending is held before this process sends anything. */
  readonly deliveryHold: boolean;
  readonly webhookAllowPrivate: boolean;
  readonly refreshReuseGraceSeconds: number;
  /** The server that takes mail; empty: there is none. */
  readonly smtpUrl: string;
  /** Who mail is from; empty: an address at the host of `baseUrl`. */
  readonly mailFrom: string;
  /** Whether traces are sent; where to and how is read by OpenTelemetry itself, from its standard variables. */
  readonly tracing: boolean;
}

/**
 * Reads and checks the environment; throws one Error that lists every wrong variable. What is `optional` may be
 * absent for a process that has no use for it: a migration needs no secrets.
 */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  options: { readonly optional?: readonly 'SECRETS_KEY'[] } = {},
): Config {
  const schema = options.optional?.includes('SECRETS_KEY')
    ? environment.shape({ SECRETS_KEY: optionalText() })
    : environment;
  // A variable that is set to nothing (as compose files do) is one that is not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  let values: yup.InferType<typeof environment>;
  try {
    values = schema.validateSync(given, { abortEarly: false });
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error;
    const lines = error.inner.map(
      (inner) => `  ${inner.path ?? ''} ${inner.message.replace(new RegExp(`^${inner.path ?? ''}\\s+`), '')}`,
    );
    throw new Error(
      `The configuration is not usable:\n${lines.join('\n')}\nSee the table in README.md and .env.example.`,
      { cause: error },
    );
  }
  return {
    logLevel: values.LOG_LEVEL,
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL || `http://127.0.0.1:${values.PORT}`,
    trustProxy: values.TRUST_PROXY,
    drainSeconds: values.DRAIN_SECONDS,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL || values.DATABASE_URL,
    databasePooled: values.DATABASE_DIRECT_URL !== '',
    databaseReplicaUrl: values.DATABASE_REPLICA_URL,
    databasePool: values.DATABASE_POOL,
    databasePrepare: values.DATABASE_PREPARE,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: values.TEMPORAL_NAMESPACE,
      tls:
        values.TEMPORAL_TLS_CERT !== '' ||
        values.TEMPORAL_TLS_CA !== '' ||
        values.TEMPORAL_TLS_SERVER_NAME !== '' ||
        values.TEMPORAL_API_KEY !== '',
      tlsCert: values.TEMPORAL_TLS_CERT,
      tlsKey: values.TEMPORAL_TLS_KEY,
      tlsCa: values.TEMPORAL_TLS_CA,
      tlsServerName: values.TEMPORAL_TLS_SERVER_NAME,
      apiKey: values.TEMPORAL_API_KEY,
      retentionDays: values.TEMPORAL_RETENTION_DAYS,
      prefix: values.TEMPORAL_PREFIX,
      uiUrl: values.TEMPORAL_UI_URL,
    },
    platformCalls: values.PLATFORM_CALLS,
    upstream: { url: values.MSGAPP_API_URL, version: values.MSGAPP_API_VERSION },
    files: {
      directory: path.resolve(values.FILES_DIR),
      s3:
        values.FILES_S3_BUCKET === ''
          ? null
          : {
              bucket: values.FILES_S3_BUCKET,
              endpoint: values.FILES_S3_ENDPOINT,
              region: values.FILES_S3_REGION,
              accessKeyId: values.FILES_S3_ACCESS_KEY_ID,
              secretAccessKey: values.FILES_S3_SECRET_ACCESS_KEY,
            },
    },
    secretsKeys: keysOf(values.SECRETS_KEY),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    anonymousRateLimitPerMinute: values.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    plans: values.PLANS.split(','),
    retainDays: {
      audit: values.RETAIN_AUDIT_DAYS,
      activity: values.RETAIN_ACTIVITY_DAYS,
      webhookEvents: values.RETAIN_WEBHOOK_EVENTS_DAYS,
    },
    worker: {
      version: values.WORKER_DEPLOYMENT
        ? { deploymentName: values.WORKER_DEPLOYMENT, buildId: values.WORKER_BUILD_ID }
        : null,
      port: values.WORKER_PORT,
      roles: new Set(values.WORKER_ROLES.split(',') as WorkerRole[]),
    },
    deliveryHold: values.DELIVERY_HOLD,
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    refreshReuseGraceSeconds: values.REFRESH_REUSE_GRACE_SECONDS,
    tracing: values.OTEL_EXPORTER_OTLP_ENDPOINT !== '',
  };
}
