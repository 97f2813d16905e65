/** What the scripts of the dashboard share, for the type check; browsers never load it. */

/** What scripts say. */
type SaidTexts = typeof import('../words/en/scripts').scripts;

/** Those that `ui.text` writes: a text, or its two forms. */
type SaidText = {
  [Key in keyof SaidTexts]: SaidTexts[Key] extends string | { one: string; other: string } ? Key : never;
}[keyof SaidTexts];

/** What scripts say in the language of the page, and how it writes dates and numbers (assets.ts). */
declare const said: {
  readonly language: string;
  readonly dates: string;
  readonly numbers: string;
  readonly texts: SaidTexts;
};

/** A short message, as the server writes it into the header `HX-Trigger`. */
interface Toast {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  readonly href?: string;
  /** It tells what others did, and leaves alone what says what the member did. */
  readonly isNotice?: boolean;
  readonly undo?: {
    readonly action: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly target?: string;
    readonly shownMs?: number;
  };
}

/** A file as it was uploaded. */
interface UploadedFile {
  readonly id: string;
  readonly mime_type: string;
  readonly size: number;
  readonly filename: string;
  /** A picture of it, drawn small. */
  readonly picture?: string | undefined;
}

/** A text on its way, or a template or a question that waits for the line (outbox.js). */
interface Sending {
  readonly once: string;
  /** The tab that it was written in. */
  readonly tab: string;
  /** Of its conversation. */
  readonly id: string;
  readonly address: string;
  readonly values: Readonly<Record<string, string>>;
  readonly text: string;
  readonly quote: string;
  readonly at: number;
  readonly dueAt: number;
  readonly file?: UploadedFile;
  /** What a template or a question was typed as, and under which draft it has its key. */
  readonly form?: { readonly key: string; readonly drafts: Readonly<Record<string, string>> };
  /** How often the server was not reached, or could not take it. */
  readonly tries?: number;
  readonly refused?: string;
}

/** What is asked before something that cannot be undone. */
interface Question {
  readonly title: string;
  readonly text: string;
  readonly button: string;
}

/** The question before a text goes, where somebody else has answered meanwhile. */
interface AnsweredQuestion extends Question {
  readonly newestId: string;
}

/** The event by which a page asks for one of its parts by itself (refresh.js). */
type RefreshEvent = CustomEvent<{ retry(): void; wait(): void } | null>;

interface HtmxRequest {
  readonly elt: HTMLElement;
  readonly verb: string;
  readonly formData: FormData;
  readonly triggeringEvent?: Event;
}

/** What htmx tells with its events. */
interface HtmxDetail {
  readonly elt: HTMLElement;
  readonly target: HTMLElement;
  readonly xhr: XMLHttpRequest;
  readonly requestConfig: HtmxRequest;
  /** The element that takes the place of another one, in `oobBeforeSwap`. */
  readonly fragment: DocumentFragment;
  shouldSwap: boolean;
  /** How it is put in, where that is not what its element says. */
  swapOverride?: string;
}

interface HtmxContext {
  readonly source?: Element | string;
  readonly event?: Event;
  readonly target?: string | HTMLElement;
  readonly select?: string;
  readonly swap?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

interface DocumentEventMap {
  'htmx:load': CustomEvent<HtmxDetail>;
  'htmx:beforeRequest': CustomEvent<HtmxDetail>;
  'htmx:afterRequest': CustomEvent<HtmxDetail>;
  'htmx:beforeOnLoad': CustomEvent<HtmxDetail>;
  'htmx:beforeSwap': CustomEvent<HtmxDetail>;
  'htmx:afterSwap': CustomEvent<HtmxDetail>;
  'htmx:afterSettle': CustomEvent<HtmxDetail>;
  'htmx:oobBeforeSwap': CustomEvent<HtmxDetail>;
  'htmx:oobAfterSwap': CustomEvent<HtmxDetail>;
  'htmx:sendError': CustomEvent<HtmxDetail>;
  'htmx:timeout': CustomEvent<HtmxDetail>;
  toast: CustomEvent<Toast>;
  /** The whole page is another one now. */
  anew: CustomEvent;
  /** Something changed, by anybody; `all`: too much to tell. */
  live: CustomEvent<{ readonly type: string; readonly id?: number }>;
  answered: CustomEvent<AnsweredQuestion>;
  'outbox:back': CustomEvent<{ readonly first: Sending; readonly once: string; readonly back: readonly Sending[] }>;
  'outbox:known': CustomEvent<{ readonly id: string; readonly newest: string }>;
  'outbox:sent': CustomEvent<{ readonly id: string; readonly left: number }>;
  'inbox:changed': CustomEvent<{ readonly thread?: boolean }>;
  'inbox:done': CustomEvent<{ readonly id: string }>;
}

/** What a service worker shows. */
interface ShownNotice {
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly href: string;
}

/** The part of a service worker's own world that ours uses: the library for it cannot stand beside that of pages. */
interface NoticesWorker {
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  readonly clients: {
    matchAll(options: { readonly type: 'window'; readonly includeUncontrolled: boolean }): Promise<
      readonly {
        readonly url: string;
        readonly visibilityState: DocumentVisibilityState;
        focus(): Promise<unknown>;
      }[]
    >;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener<K extends keyof NoticesWorkerEvents>(
    type: K,
    listener: (event: NoticesWorkerEvents[K]) => void,
  ): void;
}

interface NoticesWorkerEvents {
  readonly push: { readonly data: { json(): ShownNotice } | null; waitUntil(work: unknown): void };
  readonly message: { readonly data: ShownNotice; waitUntil(work: unknown): void };
  readonly notificationclick: { readonly notification: Notification; waitUntil(work: unknown): void };
}

interface Window {
  readonly htmx: {
    ajax(verb: string, path: string, context: HtmxContext): Promise<void>;
    process(element: Element): void;
  };
  readonly Idiomorph?: {
    readonly defaults: {
      ignoreActiveValue: boolean;
      readonly callbacks: {
        beforeAttributeUpdated: (name: string, node: Element) => boolean;
        beforeNodeMorphed: (node: Node, next: Node) => boolean;
        afterNodeMorphed: (node: Node, next: Node) => void;
        beforeNodeRemoved: (node: Node) => boolean;
      };
    };
  };
  /** typed.js: what forms say, and whether the server has it. */
  typed: {
    contentOf(form: HTMLFormElement): string;
    isChanged(field: Element): boolean;
    isNewer(form: HTMLFormElement): boolean;
  };
  /** forms.js: asks in a dialog. */
  ask(question: Question): Promise<boolean>;
  /** longPress.js: what a finger's long press on such an element does, at once and as the finger leaves. */
  onLongPress(
    selector: string,
    acts: { readonly held?: (at: HTMLElement) => void; readonly left?: (at: HTMLElement) => void },
  ): void;
  /** refresh.js. */
  follow(name: string, ask: (event: RefreshEvent) => Promise<void> | undefined): void;
}
