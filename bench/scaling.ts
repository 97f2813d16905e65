/*
 * The arithmetic of SCALING.md: from a load to cores, connections and storage. Print it with `node
 * dist/bench/scaling.js`. test/unit/scaling.test.ts compares the costs with the measured figures of bench/README.md,
 * and the page with the result.
 */

/** What a month brings to one installation. */
interface Load {
  readonly workspaces: number;
  readonly broadcastMessages: number;
  readonly replies: number;
  readonly customerMessages: number;
  readonly stageNotifications: number;
  readonly apiRequests: number;
  readonly snoozes: number;
  /** Events that subscribers of webhooks are told. */
  readonly eventsOut: number;
}

/** Processor milliseconds of one piece of work by tier, each from a row of bench/README.md. */
export const costs = {
  // PostgreSQL's part holds what the statuses of a reply cost there, which are counted as events as well.
  reply: { api: 8.29, worker: 0.52, temporal: 0.08, database: 8.4 },
  notification: { worker: 5.7, temporal: 3.95, database: 7.22 },
  broadcastMessage: { worker: 0.21, database: 0.33 },
  snooze: { worker: 4.8, temporal: 8.46, database: 2.76 },
  eventOut: { worker: 0.92, database: 0.54 },
  inboundEvent: { api: 0.44, database: 0.17, worker: 0.17, databaseProcessing: 0.33 },
  // PostgreSQL's part is what two busy cores leave beside the bare server's own work; the measuring client is in it,
  // too.
  apiRequest: { api: 1.79, database: Math.round((2_000 / 761 - 0.82) * 100) / 100 },
} as const;

/** Bytes on disk of one row with its indexes after VACUUM; each from a row of bench/README.md. */
export const bytes = {
  message: 1_800,
  recipient: 195,
  arrival: 241,
  activity: 335,
  episode: 292,
  notice: 136,
  file: 387,
  contact: 1_258,
  conversation: 735,
  eventOut: 2_140,
} as const;

/** Kilobytes of PostgreSQL's log for one piece of work with all that follows, statuses included. */
export const logKilobytes = { reply: 28.6, broadcastMessage: 12.7, customerMessage: 5.5, snooze: 5.6 } as const;

/** What nobody has measured, because it is how companies work: assumed, and said on the page. */
const assumed = {
  contactsOfWorkspace: 10_000,
  repliesOfEpisode: 2,
  activitiesOfEpisode: 4,
  customerMessagesWithFile: 0.1,
  fileBytes: 200_000,
} as const;
/** Days for which events out, notices and ended workflows are kept (docs/settings.md). */
const keptDays = { eventOut: 30, notice: 30, workflow: 7 } as const;
/** Bytes of Temporal's database for a timer, and for a notification's three events of 200 bytes. */
const temporalBytes = { snooze: 16_000, notification: 600 } as const;

/** Statuses that the platform reports of a message: sent, delivered, read. */
const statusesPerMessage = 3;
const secondsPerMonth = 30 * 86_400;

/** What a load needs at its busiest. */
interface Needs {
  /** Busy processor cores by tier at the peak. */
  readonly cores: Readonly<Record<'api' | 'worker' | 'database' | 'temporal', number>>;
  /** Things per second at the peak. */
  readonly perSecond: Readonly<Record<'requests' | 'inbound events' | 'messages out', number>>;
  /** Gigabytes, indexes included: what a year adds to PostgreSQL, and to the store of files. */
  readonly gigabytesPerYear: number;
  readonly fileGigabytesPerYear: number;
  /** What is there at any time: people, and what is kept for some days, Temporal's included. */
  readonly standingGigabytes: number;
  /** What PostgreSQL's log takes on an average day, which an archive keeps and a standby copies. */
  readonly logGigabytesPerDay: number;
}

/** Computes what a load needs when its busiest hour is `peak` times the average one. */
export function needsOf(load: Load, peak: number): Needs {
  const perSecond = (perMonth: number): number => (perMonth / secondsPerMonth) * peak;
  const single = load.replies + load.stageNotifications;
  const messagesOut = load.broadcastMessages + single;
  const events = load.customerMessages + messagesOut * statusesPerMessage;
  const episodes = load.replies / assumed.repliesOfEpisode;
  const files = load.customerMessages * assumed.customerMessagesWithFile;
  const cores = (terms: readonly (readonly [perMonth: number, ms: number])[]): number =>
    terms.reduce((sum, [perMonth, ms]) => sum + (perSecond(perMonth) * ms) / 1_000, 0);

  return {
    cores: {
      api: cores([
        [load.apiRequests, costs.apiRequest.api],
        [load.replies, costs.reply.api],
        [events, costs.inboundEvent.api],
      ]),
      worker: cores([
        [load.replies, costs.reply.worker],
        [load.stageNotifications, costs.notification.worker],
        [load.broadcastMessages, costs.broadcastMessage.worker],
        [load.snoozes, costs.snooze.worker],
        [load.eventsOut, costs.eventOut.worker],
        [events, costs.inboundEvent.worker],
      ]),
      database: cores([
        [load.apiRequests, costs.apiRequest.database],
        [load.replies, costs.reply.database],
        [load.stageNotifications, costs.notification.database],
        [load.broadcastMessages, costs.broadcastMessage.database],
        [load.snoozes, costs.snooze.database],
        [load.eventsOut, costs.eventOut.database],
        [events, costs.inboundEvent.database + costs.inboundEvent.databaseProcessing],
      ]),
      temporal: cores([
        [load.replies, costs.reply.temporal],
        [load.stageNotifications, costs.notification.temporal],
        [load.snoozes, costs.snooze.temporal],
      ]),
    },
    perSecond: {
      requests: perSecond(load.apiRequests + single),
      'inbound events': perSecond(events),
      'messages out': perSecond(messagesOut),
    },
    gigabytesPerYear:
      (12 *
        ((messagesOut + load.customerMessages) * bytes.message +
          messagesOut * bytes.arrival +
          load.broadcastMessages * bytes.recipient +
          episodes * (bytes.episode + assumed.activitiesOfEpisode * bytes.activity) +
          files * bytes.file)) /
      1e9,
    fileGigabytesPerYear: (12 * files * assumed.fileBytes) / 1e9,
    standingGigabytes:
      (load.workspaces * assumed.contactsOfWorkspace * (bytes.contact + bytes.conversation) +
        (load.eventsOut * bytes.eventOut * keptDays.eventOut + load.customerMessages * bytes.notice * keptDays.notice) /
          30 +
        ((load.snoozes * temporalBytes.snooze + load.stageNotifications * temporalBytes.notification) *
          keptDays.workflow) /
          30) /
      1e9,
    logGigabytesPerDay:
      (single * logKilobytes.reply +
        load.broadcastMessages * logKilobytes.broadcastMessage +
        load.customerMessages * logKilobytes.customerMessage +
        load.snoozes * logKilobytes.snooze) /
      30 /
      1e6,
  };
}

/** The three sizes that SCALING.md speaks of. */
export const sizes: Readonly<Record<string, Load>> = {
  'One machine': {
    workspaces: 20,
    broadcastMessages: 700_000,
    replies: 100_000,
    customerMessages: 150_000,
    stageNotifications: 50_000,
    apiRequests: 5_000_000,
    snoozes: 20_000,
    eventsOut: 1_000_000,
  },
  'A few machines': {
    workspaces: 200,
    broadcastMessages: 7_000_000,
    replies: 1_000_000,
    customerMessages: 1_500_000,
    stageNotifications: 500_000,
    apiRequests: 50_000_000,
    snoozes: 200_000,
    eventsOut: 10_000_000,
  },
  'A thousand workspaces': {
    workspaces: 1_000,
    broadcastMessages: 70_000_000,
    replies: 10_000_000,
    customerMessages: 15_000_000,
    stageNotifications: 5_000_000,
    apiRequests: 500_000_000,
    snoozes: 2_000_000,
    eventsOut: 100_000_000,
  },
};

/** How much busier the busiest minutes are than the average: campaigns begin at nine, and everybody answers. */
export const peak = 20;

/** Returns the sizes as a table in Markdown. */
export function table(): string {
  const one = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'));
  const rows = Object.entries(sizes).map(([name, load]) => {
    const needs = needsOf(load, peak);
    const out = load.broadcastMessages + load.replies + load.stageNotifications + load.customerMessages;
    return [
      name,
      `${(out / 1e6).toLocaleString('en-US')} million`,
      one(needs.perSecond.requests),
      one(needs.perSecond['inbound events']),
      one(needs.cores.api),
      one(needs.cores.worker),
      one(needs.cores.database),
      one(needs.cores.temporal),
      `${one(needs.gigabytesPerYear)} GB`,
      `${one(needs.standingGigabytes)} GB`,
      `${one(needs.logGigabytesPerDay)} GB`,
      `${one(needs.fileGigabytesPerYear)} GB`,
    ];
  });
  const head = [
    'Size',
    'Messages/month',
    'Requests/s',
    'Inbound/s',
    'API',
    'Workers',
    'PostgreSQL',
    'Temporal',
    'Rows a year',
    'Standing',
    'Log a day',
    'Files a year',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (require.main === module) process.stdout.write(`${table()}\n`);
