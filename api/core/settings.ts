import { createECDH } from 'node:crypto';
import * as yup from 'yup';

declare module 'yup' {
  interface CustomSchemaMetadata {
    /** What a setting does, for docs/settings.md. */
    text?: string;
    /** Its default in words, where that of the schema says too little. */
    default?: string;
  }
}

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
export const optionalText = (): yup.StringSchema<string | undefined, yup.AnyObject, '', 'd'> =>
  yup.string().trim().default('');

/** Returns the keys of a list in base64, separated by commas. */
export function keysOf(list: string): Buffer[] {
  return list.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
}

/** Returns whether bytes are a private key of the curve by which web push signs. */
function isVapidKey(bytes: Buffer): boolean {
  if (bytes.length !== 32) return false;
  try {
    createECDH('prime256v1').setPrivateKey(bytes);
    return true;
  } catch {
    return false;
  }
}

/** What a worker process can do. Default: all of it. */
const workerRoles = ['workflows', 'bulk', 'inbox', 'relay'] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** The schema of the environment, with a description of each setting. */
export const environment = yup.object({
  LOG_LEVEL: yup.string().oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').meta({
    text: 'Least severe lines that are logged, as JSON on stdout: fatal, error, warn, info, debug, trace or silent.',
  }),
  HOST: yup.string().default('127.0.0.1').meta({ text: 'Address on which the API, the dashboard and MCP listen.' }),
  PORT: wholeNumber(3000, 0, 65535).meta({ text: 'Port of the API, the dashboard and MCP.' }),
  BASE_URL: yup
    .string()
    .matches(/^https?:\/\/[^/?#]+$/, {
      message: 'must be an origin like https://desk.example.com, without a trailing slash',
      excludeEmptyString: true,
    })
    .default('')
    .meta({
      text: 'Public origin. All links begin with it, never with the `Host` header.',
      default: '`http://127.0.0.1:PORT`',
    }),
  TRUST_PROXY: wholeNumber(0, 0, 10).meta({
    text: 'Number of reverse proxies in front, so that `X-Forwarded-For` tells the true address.',
  }),
  DRAIN_SECONDS: wholeNumber(0, 0, 300).meta({
    text: 'How long a stopping API takes requests while `/readyz` is 503: more than two checks of the load balancer.',
  }),
  DATABASE_URL: yup
    .string()
    .required('is required: the address of a PostgreSQL database, postgres://user:password@host:port/name')
    .meta({
      text: 'PostgreSQL with `pg_trgm` and `btree_gin`. `npm start` starts one of its own unless this is set.',
      default: 'required',
    }),
  DATABASE_DIRECT_URL: optionalText().meta({
    text:
      'The same database without the pooler, if `DATABASE_URL` names one in transaction mode: for migrations, and ' +
      'for workers that listen.',
    default: '`DATABASE_URL`',
  }),
  DATABASE_REPLICA_URL: optionalText().meta({
    text:
      'A streaming standby. It answers reads of REST, MCP and the dashboard if it has all that was committed before ' +
      'the request; otherwise the primary does.',
  }),
  DATABASE_POOL: wholeNumber(0, 0, 200).meta({
    text: 'Connections of a process to PostgreSQL.',
    default: 'API 10, worker 15',
  }),
  DATABASE_PREPARE: flag(true).meta({
    text:
      'Keep plans of frequent statements. `false` behind a transaction pooler that does not follow prepared ' +
      'statements.',
  }),
  TEMPORAL_ADDRESS: yup
    .string()
    .default('127.0.0.1:7233')
    .meta({ text: "Temporal's frontend. `npm start` starts one of its own unless this is set." }),
  TEMPORAL_NAMESPACE: yup.string().default('default').meta({ text: "Temporal's namespace." }),
  TEMPORAL_TLS_CERT: optionalText().meta({
    text: 'File (PEM) of the client certificate for Temporal. Any of the four, or the API key, switches TLS on.',
  }),
  TEMPORAL_TLS_KEY: optionalText().meta({ text: 'File (PEM) of the key of the client certificate.' }),
  TEMPORAL_TLS_CA: optionalText().meta({ text: "File (PEM) of the authority that signed Temporal's certificate." }),
  TEMPORAL_TLS_SERVER_NAME: optionalText().meta({
    text: "Name that Temporal's certificate must have, where it is not the address.",
  }),
  TEMPORAL_API_KEY: optionalText().meta({ text: 'API key for Temporal Cloud.' }),
  TEMPORAL_RETENTION_DAYS: wholeNumber(0, 0, 36_500).meta({
    text: 'How long the namespace keeps workflows that have ended. `migrate` changes it only if this is set.',
    default: '7 in a new namespace',
  }),
  TEMPORAL_UI_URL: yup
    .string()
    .trim()
    .matches(/^https?:\/\/[^\s?#]*[^\s?#/]$/, {
      message: 'must be the address of the Temporal Web UI, without a trailing slash',
      excludeEmptyString: true,
    })
    .default('')
    .meta({ text: 'The Temporal Web UI as a browser reaches it; the dashboard links to workflows there.' }),
  TEMPORAL_PREFIX: yup
    .string()
    .matches(/^[a-z0-9-]{1,40}$/, { excludeEmptyString: true })
    .default('')
    .meta({
      text: 'Begins workflow ids and task queues, so that installations of one namespace never meet.',
      default: 'the id that `migrate` drew',
    }),
  MSGAPP_API_URL: yup
    .string()
    .matches(/^https?:\/\/.+[^/]$/, 'must be a URL without a trailing slash')
    .default('http://127.0.0.1:3001')
    .meta({ text: 'The messaging platform. `npm start` starts the sandbox unless this is set.' }),
  MSGAPP_API_VERSION: yup
    .string()
    .matches(/^v\d+\.\d+$/)
    .default('v23.0')
    .meta({ text: "The platform's API version." }),
  FILES_DIR: yup.string().trim().default('.data/files').meta({
    text: 'Where attachments and uploads are kept: a directory that all processes share.',
    default: '`files` below `DATA_DIR`',
  }),
  FILES_PER_WORKSPACE: yup
    .number()
    .integer()
    .min(2 ** 30)
    .default(50 * 2 ** 30)
    .meta({
      text: "Bytes of files of a workspace; beyond them its uploads are refused, customers' files are always kept.",
      default: '50 GB (53687091200)',
    }),
  FILES_S3_BUCKET: optionalText().meta({
    text: 'A bucket of an S3-compatible store, which is used instead of `FILES_DIR`.',
  }),
  FILES_S3_ENDPOINT: yup
    .string()
    .trim()
    .url()
    .default('')
    .meta({ text: "Address of the store; without it Amazon's of the region." }),
  FILES_S3_REGION: yup.string().trim().default('us-east-1').meta({ text: 'Region of the bucket.' }),
  FILES_S3_ACCESS_KEY_ID: optionalText().meta({ text: "Key of the store; without it the machine's own role." }),
  FILES_S3_SECRET_ACCESS_KEY: optionalText().meta({ text: 'Secret of this key.' }),
  SECRETS_KEY: yup
    .string()
    .required('is required: 32 random bytes in base64, for example from `openssl rand -base64 32`')
    .test('length', 'must be 32 bytes in base64', (value) => keysOf(value ?? '').every((key) => key.length === 32))
    .meta({
      text:
        "32 bytes in base64 that seal the platform's credentials and other secrets. To change it: `new,old`, " +
        '`secrets rotate`, `new` ([how](../SECURITY.md#keys)).',
      default: 'required; `npm start` makes one in `DATA_DIR`',
    }),
  VAPID_PRIVATE_KEY: optionalText()
    .test(
      'key',
      'must be a private key of P-256: 32 random bytes in base64',
      (value) => !value || isVapidKey(Buffer.from(value, 'base64')),
    )
    .meta({
      text:
        'Signs web push, which tells members of what concerns them while no page is open: 32 bytes in base64. Who ' +
        'changes it makes every browser subscribe anew. Unset, there is no web push.',
      default: 'none; `npm start` makes one in `DATA_DIR`',
    }),
  VAPID_SUBJECT: yup
    .string()
    .trim()
    .matches(/^(https:\/\/|mailto:)\S+$/, { message: 'must be https://… or mailto:…', excludeEmptyString: true })
    .default('')
    .meta({
      text: 'Where push services reach the operator: `mailto:…` or `https://…`.',
      default: '`BASE_URL`, or `mailto:msgdesk@` its host where that is not https',
    }),
  SECURITY_CONTACT: yup
    .string()
    .trim()
    .matches(/^(https:\/\/|mailto:)[^\s,]+(,(https:\/\/|mailto:)[^\s,]+)*$/, {
      message: 'must be https://… or mailto:…, several separated by commas',
      excludeEmptyString: true,
    })
    .default('')
    .meta({
      text:
        'Who is told of a weakness of this installation, `mailto:…` or `https://…`, the preferred one first: ' +
        '`/.well-known/security.txt`, which is there only if this is set.',
    }),
  RATE_LIMIT_PER_MINUTE: wholeNumber(60, 1, 1_000_000).meta({
    text: 'Requests a minute of a credential, over all replicas.',
  }),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: wholeNumber(120, 1, 1_000_000).meta({
    text: 'Requests a minute of an address without a valid credential.',
  }),
  LOOP_SHARE_PERCENT: wholeNumber(20, 1, 100).meta({
    text:
      "The share of a process's time, over a minute, above which a workspace is refused (429) while the process is " +
      'over 70 % busy and another workspace waits.',
  }),
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
    .default('standard,pro')
    .meta({ text: 'Plans that a workspace may choose from in the dashboard.' }),
  RETAIN_MESSAGES_DAYS: wholeNumber(0, 0, 36_500)
    .test('kept', 'must be 0 or at least 31', (days) => days === 0 || days > 30)
    .meta({
      text:
        'Days after which messages are removed with their files; 0: never. What is counted of them stays. 0 or at ' +
        'least 31.',
    }),
  RETAIN_AUDIT_DAYS: wholeNumber(365, 1, 36_500).meta({ text: 'Days for which the audit logs are kept.' }),
  RETAIN_ACTIVITY_DAYS: wholeNumber(730, 1, 36_500).meta({ text: 'Days for which activity trails are kept.' }),
  RETAIN_WEBHOOK_EVENTS_DAYS: wholeNumber(30, 4, 36_500).meta({
    text:
      'Days for which events can be replayed to webhook subscribers, and the log of their deliveries is kept; ' +
      'at least 4.',
  }),
  RETAIN_PARKED_EVENTS_DAYS: wholeNumber(30, 1, 36_500).meta({
    text: 'Days for which is kept what the platform sent and could not be processed or is not used.',
  }),
  RETAIN_APPROVALS_DAYS: wholeNumber(90, 1, 36_500).meta({ text: 'Days for which decided approvals are kept.' }),
  RETAIN_MACRO_RUNS_DAYS: wholeNumber(90, 1, 36_500).meta({ text: 'Days for which runs of macros are kept.' }),
  RETAIN_BROADCAST_RECIPIENTS_DAYS: wholeNumber(365, 2, 36_500).meta({
    text:
      'Days for which it is kept who was a recipient of a broadcast and what became of it, from the end of the ' +
      'broadcast; its figures stay. At least 2.',
  }),
  RETAIN_STAGE_MOVES_DAYS: wholeNumber(730, 2, 36_500).meta({
    text: "Days for which it is kept whom a ticket's move told. At least 2.",
  }),
  RETAIN_USAGE_DAYS: wholeNumber(1_096, 366, 36_500).meta({
    text: 'Days for which usage can be asked for; what is kept of it names no customer. At least 366.',
  }),
  RETAIN_ALIASES_DAYS: wholeNumber(1_096, 30, 36_500).meta({
    text:
      'Days for which a contact answers to former numbers and ids, its own and those of contacts merged into it; to ' +
      'the numbers and user ids of two that a member merged for good. At least 30.',
  }),
  METRICS_PORT: wholeNumber(0, 0, 65535).meta({
    text: 'Port on which an API process serves `/metrics`, and no longer on `PORT`.',
    default: 'none',
  }),
  WORKER_PORT: wholeNumber(0, 0, 65535).meta({
    text: 'Port on which a worker serves `/healthz` and `/metrics`; `npm start` uses 3002.',
    default: 'none',
  }),
  WORKER_ROLES: yup
    .string()
    .transform((value: string) =>
      [...new Set(value.split(',').map((name) => name.trim().toLowerCase()))].filter((name) => name !== '').join(','),
    )
    .matches(
      /^(workflows|bulk|inbox|relay)(,(workflows|bulk|inbox|relay))*$/,
      `must be some of ${workerRoles.join(', ')}, separated by commas`,
    )
    .default(workerRoles.join(','))
    .meta({
      text:
        'What a worker does. `workflows`: replies, macros, timers and stage notifications; `bulk`: broadcasts; ' +
        "`inbox`: the platform's events; `relay`: what must reach Temporal, messages that wait, overdue snoozes, " +
        "subscribers' events, mails and pushes. Each has to be done by one worker at least.",
    }),
  PLATFORM_CALLS: wholeNumber(600, 10, 100_000).meta({
    text:
      'The most calls that send which a process makes at the same time: messages a second times the seconds that a ' +
      'call takes (1,000 a second at half a second each: 500). At most five sixths of them are for broadcasts.',
  }),
  WORKER_DEPLOYMENT: optionalText().meta({
    text: "Name of the deployment for Temporal's worker versioning ([how](operate.md#on-machines-of-your-own)).",
  }),
  WORKER_BUILD_ID: optionalText()
    .when('WORKER_DEPLOYMENT', {
      is: (name: string) => name !== '',
      then: (buildId) => buildId.required('is required beside WORKER_DEPLOYMENT'),
    })
    .meta({ text: 'Version of the workers in this deployment.' }),
  DELIVERY_HOLD: flag(false).meta({
    text:
      'Take `delivery hold` before this process sends anything: for the first start of a restored database ' +
      '([runbook](runbook.md#sendingheld)).',
  }),
  WEBHOOK_ALLOW_PRIVATE: flag(false).meta({
    text:
      'Outgoing webhooks may go to private addresses and over http. `npm start` sets it, so that the sandbox ' +
      'can receive them.',
  }),
  SMTP_URL: yup
    .string()
    .trim()
    .matches(/^smtps?:\/\/\S+$/, { message: 'must be smtp://… or smtps://…', excludeEmptyString: true })
    .default('')
    .meta({
      text:
        '`smtps://user:password@host:port`. Links for passwords are mailed and prove an email; without it they ' +
        'are shown to the member who makes them.',
    }),
  MAIL_FROM: optionalText().meta({ text: 'Sender of these mails.', default: '`msgdesk@` the host of `BASE_URL`' }),
  REFRESH_REUSE_GRACE_SECONDS: wholeNumber(30, 0, 3600).meta({
    text:
      'Reusing an old refresh token disconnects the agent. Within this many seconds of its replacement it gets the ' +
      'same tokens again, since parallel calls of one agent refresh at the same time.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: yup
    .string()
    .trim()
    .url()
    .default('')
    .meta({
      text:
        'Where OpenTelemetry traces go (OTLP over HTTP). Unset, OpenTelemetry is not loaded ' +
        '([runbook](runbook.md#reading-traces)).',
    }),
  OTEL_EXPORTER_OTLP_HEADERS: optionalText().meta({
    text: 'Headers of these exports, `name=value` separated by commas.',
  }),
  OTEL_SERVICE_NAME: optionalText().meta({
    text: 'Name of the service in traces.',
    default: '`msgdesk-api`, `msgdesk-worker`',
  }),
  OTEL_RESOURCE_ATTRIBUTES: optionalText().meta({ text: 'Attributes of the service in traces.' }),
  OTEL_TRACES_SAMPLER: yup
    .string()
    .matches(/^(parentbased_)?(always_on|always_off|traceidratio)$/, {
      message: 'must be always_on, always_off, traceidratio, or one of them after parentbased_',
      excludeEmptyString: true,
    })
    .meta({ text: "Which requests are traced, by OpenTelemetry's names." }),
  OTEL_TRACES_SAMPLER_ARG: optionalText().meta({ text: 'The share of requests, for a sampler that needs it.' }),
});

/** Names of all settings, for launchers that pass them on to their processes. */
export const settingNames: readonly string[] = Object.keys(environment.fields);

/** Returns all settings with what they do and their defaults, as docs/settings.md says them. */
export function describeSettings(): { readonly name: string; readonly text: string; readonly default: string }[] {
  return Object.entries(environment.describe().fields).map(([name, description]) => {
    const { meta, default: value } = description as yup.SchemaDescription;
    const shown = value === undefined || value === '' ? 'none' : `\`${String(value)}\``;
    return { name, text: meta?.text ?? '', default: meta?.default ?? shown };
  });
}
