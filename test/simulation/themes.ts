/** What people do in a run, each so many times. */
export type Act =
  | 'replies'
  | 'writes'
  | 'rushes'
  | 'chats'
  | 'snoozes'
  | 'moves'
  | 'uncovers'
  | 'broadcasts'
  | 'holds'
  | 'stops'
  | 'keyed'
  | 'macros'
  | 'questions'
  | 'switches'
  | 'flickers'
  | 'meetings'
  | 'changes'
  | 'returns'
  | 'longPauses'
  | 'halts'
  | 'unions'
  | 'robots'
  | 'schedules';
type Range = readonly [from: number, to: number];

/**
 * What a run is about. Most are short and of few customers: what meets at one row shows a mistake sooner than a
 * whole town does.
 */
export interface Theme {
  readonly lengthMs: Range;
  readonly apis: Range;
  readonly workers: Range;
  /** Customers that things happen to. */
  readonly customers: number;
  readonly acts: Readonly<Partial<Record<Act, Range>>>;
  /** How many things people do in one moment, at most. */
  readonly burst: number;
  /** Whether these are two of one workspace who turn out to be one person. */
  readonly areOne?: true;
  /** Whether the customers have written for years: more than a merge moves at once. */
  readonly haveLongHistories?: true;
  /** Whether what is known of a call is often lost, late or unclear. */
  readonly isUnclear?: true;
  /** Whether senders often stand still between their look at a message and their claim of it. */
  readonly hesitates?: true;
  /** Whether Temporal loses its state while things wait for their time. */
  readonly forgets?: true;
  /** How many calls to the platform a process makes at a time, where fewer than usual. */
  readonly calls?: number;
  /** Whether the platform may answer one workspace slowly. */
  readonly isSlowForOne?: true;
  /** Whether intents wait from the beginning on, as after an outage of hours. */
  readonly hasBacklog?: true;
  /** Whether workers of the version before work until the run's faults end, and a newer one comes meanwhile. */
  readonly hasOlder?: true;
  /** Whether events fail by themselves, and work at them may outlast their lease. */
  readonly troublesInbox?: true;
  /** Whether rules are on in all workspaces. */
  readonly hasRules?: true;
  /** Whether they are those of a week, which are rehearsed at its end. */
  readonly rehearses?: true;
  /** What happens to processes more often than usual. */
  readonly often?: 'dies' | 'is cut off';
  /** Whether it is run only where it is asked for, by its name or by a mutant: no seed alone draws it. */
  readonly isApart?: true;
  /** How likely a run without faults is, where another than usual: only there nothing may be late. */
  readonly calm?: number;
}

/** How long the rehearsal of a rule looks back. */
export const weekMs = 7 * 24 * 3_600_000;

export const themes = {
  town: {
    lengthMs: [4_000, 600_000],
    apis: [1, 2],
    workers: [1, 3],
    customers: Infinity,
    acts: { replies: [2, 6], writes: [1, 4], snoozes: [0, 3], moves: [0, 2], uncovers: [0, 1], broadcasts: [0, 1] },
    burst: 4,
  },
  replies: {
    lengthMs: [300, 10_000],
    apis: [2, 2],
    workers: [1, 1],
    customers: 2,
    acts: { replies: [2, 4] },
    burst: 4,
  },
  // Longer than a claim: an answer may come when it is over.
  answers: {
    lengthMs: [20_000, 240_000],
    apis: [2, 2],
    workers: [1, 2],
    customers: 2,
    acts: { replies: [2, 3], moves: [0, 1] },
    burst: 3,
    isUnclear: true,
  },
  crowds: {
    lengthMs: [1_000, 30_000],
    apis: [1, 1],
    workers: [2, 3],
    customers: Infinity,
    acts: { moves: [1, 3], broadcasts: [1, 2], replies: [0, 1], uncovers: [0, 1] },
    burst: 2,
  },
  snoozes: {
    lengthMs: [1_000, 60_000],
    apis: [2, 2],
    workers: [1, 2],
    customers: 1,
    acts: { snoozes: [2, 4], writes: [0, 1] },
    burst: 3,
  },
  inbound: {
    lengthMs: [300, 20_000],
    apis: [1, 2],
    workers: [2, 3],
    customers: 2,
    acts: { writes: [2, 4], replies: [1, 2], uncovers: [0, 1] },
    burst: 4,
    troublesInbox: true,
  },
  // One customer writes much at once; all steps may take long.
  rushes: {
    lengthMs: [5_000, 60_000],
    apis: [1, 2],
    workers: [2, 3],
    customers: 2,
    acts: { rushes: [0, 2], chats: [1, 3], writes: [0, 2] },
    burst: 4,
    troublesInbox: true,
    calm: 0.3,
  },
  keys: {
    lengthMs: [1_000, 40_000],
    apis: [2, 3],
    workers: [1, 1],
    customers: 2,
    acts: { keyed: [2, 4], replies: [0, 1] },
    burst: 2,
  },
  brakes: {
    lengthMs: [1_000, 60_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 4,
    acts: { holds: [1, 2], replies: [2, 3], moves: [0, 1], broadcasts: [0, 1] },
    burst: 3,
    calm: 0.4,
  },
  // Some of these last longer than all faults: who is not stopped goes on meanwhile.
  stops: {
    lengthMs: [2_000, 60_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: Infinity,
    acts: { stops: [1, 1], replies: [3, 5], moves: [0, 1], broadcasts: [0, 1] },
    burst: 4,
    often: 'dies',
    calm: 0,
  },
  // Places are few, and one workspace keeps them for long: the other one has its turns.
  turns: {
    lengthMs: [500, 5_000],
    apis: [1, 1],
    workers: [1, 1],
    customers: Infinity,
    acts: { replies: [5, 8], writes: [0, 1] },
    burst: 4,
    calls: 2,
    isSlowForOne: true,
    often: 'is cut off',
    calm: 0.4,
  },
  deadlines: {
    lengthMs: [82_800_000, 97_200_000],
    apis: [1, 1],
    workers: [1, 1],
    customers: 2,
    acts: { holds: [1, 2], replies: [2, 3], moves: [0, 1] },
    burst: 2,
  },
  // Two contacts become one while much waits for either.
  merges: {
    lengthMs: [1_000, 20_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    areOne: true,
    acts: { uncovers: [1, 1], replies: [1, 3], moves: [1, 3], snoozes: [1, 2], macros: [1, 2], broadcasts: [0, 1] },
    burst: 2,
  },
  // Two contacts with long histories become one, while both write and are written to.
  histories: {
    lengthMs: [500, 8_000],
    apis: [1, 2],
    workers: [1, 3],
    customers: 2,
    areOne: true,
    haveLongHistories: true,
    acts: { uncovers: [1, 1], writes: [1, 3], replies: [1, 3] },
    burst: 2,
    calm: 0.4,
  },
  // Temporal is back, and one workspace has left much to be handed over; one worker has to do all of it.
  backlogs: {
    lengthMs: [1_000, 20_000],
    apis: [1, 2],
    workers: [1, 1],
    customers: 2,
    acts: { snoozes: [1, 2], writes: [0, 1] },
    burst: 2,
    hasBacklog: true,
    calm: 0.5,
  },
  macros: {
    lengthMs: [500, 30_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    acts: { macros: [2, 5], replies: [0, 2] },
    burst: 3,
  },
  // Waits of minutes: customers and colleagues come between, most of all where one ends. Both customers may be one.
  rules: {
    lengthMs: [62_000, 260_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    areOne: true,
    acts: { questions: [1, 2], replies: [0, 1], switches: [1, 3], robots: [0, 1], snoozes: [0, 1], uncovers: [0, 1] },
    burst: 2,
    hasRules: true,
    calm: 0.2,
  },
  // What meets rules just as they begin, end their waits or act; and people who do what rules follow.
  moments: {
    isApart: true,
    lengthMs: [180_000, 400_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    areOne: true,
    acts: { questions: [1, 2], flickers: [1, 2], meetings: [3, 5], changes: [0, 2], returns: [0, 1] },
    burst: 2,
    hasRules: true,
    troublesInbox: true,
    calm: 0.2,
  },
  // Rules stand still as a wait of theirs ends, and go on while that is judged.
  halts: {
    isApart: true,
    lengthMs: [62_000, 150_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    acts: { halts: [1, 2] },
    burst: 1,
    hasRules: true,
    calm: 0.2,
  },
  // The same rules wait on two contacts, who become one meanwhile.
  unions: {
    isApart: true,
    lengthMs: [62_000, 150_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    areOne: true,
    acts: { unions: [1, 1], replies: [0, 1] },
    burst: 1,
    hasRules: true,
    calm: 0.2,
  },
  // Rules go on when it is too late for what they say.
  pauses: {
    isApart: true,
    lengthMs: [5_000_000, 5_400_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    areOne: true,
    acts: { longPauses: [2, 3] },
    burst: 1,
    hasRules: true,
    calm: 0.2,
  },
  // Workers of the version before, which do not know a workflow; a newer one, which takes up what waited for it.
  versions: {
    isApart: true,
    lengthMs: [1_000, 40_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    acts: { snoozes: [2, 4] },
    burst: 2,
    hasBacklog: true,
    hasOlder: true,
    // A task that an older one gets is late.
    calm: 0,
  },
  // A week of a team without faults.
  week: {
    lengthMs: [weekMs, weekMs],
    apis: [1, 1],
    workers: [1, 1],
    customers: 5,
    acts: { questions: [12, 20], replies: [4, 8], snoozes: [1, 3], macros: [1, 3] },
    // Not so close together that what a rule judges changes in the milliseconds until it does.
    burst: 1,
    hasRules: true,
    rehearses: true,
    calm: 1,
  },
  // Two look at one message; when the second claims it, the first was refused and waits.
  hesitations: {
    isApart: true,
    lengthMs: [3_000, 20_000],
    apis: [2, 2],
    workers: [1, 2],
    customers: 1,
    acts: { replies: [3, 5] },
    burst: 4,
    isUnclear: true,
    hesitates: true,
    calm: 0,
  },
  // What waits for its time outlives the workflow that waits with it.
  amnesia: {
    isApart: true,
    lengthMs: [5_000, 20_000],
    apis: [1, 1],
    workers: [1, 1],
    customers: 2,
    acts: { schedules: [2, 4] },
    burst: 2,
    forgets: true,
    calm: 0,
  },
  later: {
    lengthMs: [1_000, 60_000],
    apis: [1, 2],
    workers: [1, 2],
    customers: 2,
    acts: { schedules: [2, 4], writes: [0, 2], replies: [0, 1] },
    burst: 3,
    calm: 0.2,
  },
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof themes;
export const themeNames = Object.keys(themes) as readonly ThemeName[];
/** Those that a seed draws from. */
export const drawnThemes = themeNames.filter((name) => (themes[name] as Theme).isApart !== true);
