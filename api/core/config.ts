import path from 'node:path';
import * as yup from 'yup';
import { environment, keysOf, optionalText, type WorkerRole } from './settings';

/** What is kept for a while and then removed (`RETAIN_…_DAYS`). */
export type KeptKind =
  | 'messages'
  | 'audit'
  | 'activity'
  | 'webhookEvents'
  | 'parkedEvents'
  | 'approvals'
  | 'macroRuns'
  | 'broadcastRecipients'
  | 'stageMoves'
  | 'usage'
  | 'aliases';

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
  /**
   * The most calls that send which a process makes at the same time: calls per second times the seconds that one takes.
   */
  readonly platformCalls: number;
  readonly upstream: { readonly url: string; readonly version: string };
  /** Where files lie: in the bucket, where one is named, else in the directory, which all processes share. */
  readonly files: {
    readonly directory: string;
    /** Bytes that a workspace may keep. */
    readonly perWorkspace: number;
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
  /** Signs web push; null: there is none. `subject` is where push services reach the operator. */
  readonly vapid: { readonly privateKey: Buffer; readonly subject: string } | null;
  /** Who is told of a weakness, as addresses; none: nobody is named. */
  readonly securityContacts: readonly string[];
  readonly rateLimitPerMinute: number;
  readonly anonymousRateLimitPerMinute: number;
  /** The part of a process's time that a workspace has before it is refused while others wait. */
  readonly loopShare: number;
  /** Port of the API's metrics; 0: where all else is. */
  readonly metricsPort: number;
  /** Names of the plans that a workspace may choose. */
  readonly plans: readonly string[];
  /** For how many days each kind of record is kept; messages at 0 for ever. */
  readonly retainDays: Readonly<Record<KeptKind, number>>;
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
    throw new Error(`The configuration is not usable:\n${lines.join('\n')}\nSee docs/settings.md and .env.example.`, {
      cause: error,
    });
  }
  const baseUrl = values.BASE_URL || `http://127.0.0.1:${values.PORT}`;
  return {
    logLevel: values.LOG_LEVEL,
    host: values.HOST,
    port: values.PORT,
    baseUrl,
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
      perWorkspace: values.FILES_PER_WORKSPACE,
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
    vapid: values.VAPID_PRIVATE_KEY
      ? {
          privateKey: Buffer.from(values.VAPID_PRIVATE_KEY, 'base64'),
          subject: values.VAPID_SUBJECT || subjectOf(baseUrl),
        }
      : null,
    securityContacts: values.SECURITY_CONTACT.split(',').filter((contact) => contact !== ''),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    anonymousRateLimitPerMinute: values.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    loopShare: values.LOOP_SHARE_PERCENT / 100,
    metricsPort: values.METRICS_PORT,
    plans: values.PLANS.split(','),
    retainDays: {
      messages: values.RETAIN_MESSAGES_DAYS,
      audit: values.RETAIN_AUDIT_DAYS,
      activity: values.RETAIN_ACTIVITY_DAYS,
      webhookEvents: values.RETAIN_WEBHOOK_EVENTS_DAYS,
      parkedEvents: values.RETAIN_PARKED_EVENTS_DAYS,
      approvals: values.RETAIN_APPROVALS_DAYS,
      macroRuns: values.RETAIN_MACRO_RUNS_DAYS,
      broadcastRecipients: values.RETAIN_BROADCAST_RECIPIENTS_DAYS,
      stageMoves: values.RETAIN_STAGE_MOVES_DAYS,
      usage: values.RETAIN_USAGE_DAYS,
      aliases: values.RETAIN_ALIASES_DAYS,
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

/** Returns where push services reach the operator unless that is said: they take no other kinds of address. */
function subjectOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? baseUrl : `mailto:msgdesk@${new URL(baseUrl).hostname}`;
}
