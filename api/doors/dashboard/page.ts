import type { Confirmation } from './fieldViews';
import type { Request, Response } from 'express';
import type { Scope } from '../../core/http/access';
import type { Ctx } from '../../core/context';
import { AppError, type FieldErrors } from '../../core/http/errors';
import type { Stream } from '../../core/http/operations';
import { workflowListPage, workflowPage } from '../../core/temporal/workflowPages';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import type { MemberRecord } from '../../services/identity/members/service';
import type { WorkspaceRecord } from '../../services/identity/workspaces/service';
import { assetPath, type AssetName } from './assets';
import type { FormFile } from '../http/bodies';
import { sendStream } from '../http/mount';
import {
  callOperation,
  callOperationOnce,
  errorsOf,
  isPermitted,
  makeOnce,
  type CallInput,
  type OperationTable,
} from './callOperation';
import { maskCsrf } from './csrf';
import { escapeHtml } from './escape';
import { formatDayHeading, formatDuration, formatMoment, linkTo, momentOf, type MomentStyle } from './formats';
import type { Badges } from './navigation';
import { Layout } from './layout';
import { Raw, render, type Html } from './html';
import { BrakeBanner } from './parts';

/** What a page answers; the router writes it. */
export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Shown by the page that follows. */
  readonly toast?: Toast;
}

/** A short message that goes away by itself. */
export interface Toast {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  /** The page that it is about. */
  readonly href?: string;
  /** The form behind its button Undo. */
  readonly undo?: Undo;
}

/** A form that takes back what was done. */
export interface Undo {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** How long it is offered; else as long as any. */
  readonly shownMs?: number;
  /** The part of the page that its answer takes the place of; without it the page follows by itself. */
  readonly target?: string;
}

/** One page, or one action of a page. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** With the trailing slash; `:name` for parameters. */
  readonly path: string;
  /** Without it the member is told that they lack it; null: for every member. */
  readonly scope: Scope | null;
  /**
   * The question before an action that cannot be undone: a dialog if scripts run, else a page. A function returns the
   * question for this request, or null for none.
   */
  readonly confirm?: Confirmation | ((page: PageRequest) => Promise<Confirmation | null>);
  /** Bytes of a form; 1 MiB unless told. */
  readonly formLimit?: number;
  /** The file of a form is kept as it is (`page.file`); else it counts as its text. */
  readonly takesFile?: boolean;
  /**
   * Its body is a file, which `run` reads while it comes (`openUpload`); the secret of the session is in a header.
   * Scripts ask it: it answers in JSON, and says in the member's words what is refused.
   */
  readonly uploads?: true;
  /** It shows one state, of which several operations ask for the same: each statement is sent once (`askingOnce`). */
  readonly asksOnce?: boolean;
  readonly run: (page: PageRequest) => Promise<PageAnswer | Handled>;
}

/** Declares the routes of a subject. */
export function definePages(routes: readonly PageRoute[]): readonly PageRoute[] {
  return routes;
}

/** The page wrote its answer itself (streams). */
export const handled = Symbol('handled');
export type Handled = typeof handled;

/** What the whole page is told beside the data of its view. */
export interface PageOptions {
  readonly title: string;
  /** Id of its place in the navigation. */
  readonly place: string;
  readonly status?: number;
  /** More files than every page loads. */
  readonly styles?: readonly AssetName[];
  readonly scripts?: readonly AssetName[];
  /** Shortcuts of the page, for the list of them: keys and what they do. */
  readonly keys?: readonly (readonly [keys: string, text: string])[];
  /** Fills the window instead of standing in a column. */
  readonly full?: boolean;
}

interface PageParts {
  readonly req: Request;
  readonly res: Response;
  readonly ctx: Ctx;
  readonly credential: Credential;
  readonly member: MemberRecord;
  readonly workspace: WorkspaceRecord;
  readonly operations: OperationTable;
  readonly form: readonly (readonly [string, string])[];
  readonly file: FormFile | undefined;
  /** Takes what the page before left to be said: only a page that shows it does so. */
  readonly takeFlash: () => Toast | null;
  readonly badges: Badges;
  readonly isUnpaid: boolean;
  /** How far changes of the workspace are known to the page, as a browser sends it back. Empty: for a part of one. */
  readonly newsFrom: string;
}

/**
 * A member's request for a page: what came with it, what may be called, and the ways to answer. Templates know it as
 * `page`.
 */
export class PageRequest {
  readonly req: Request;
  readonly res: Response;
  readonly ctx: Ctx;
  readonly credential: Credential;
  readonly member: MemberRecord;
  readonly workspace: WorkspaceRecord;
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query, each with its last value; empty ones are left out. */
  readonly query: Readonly<Record<string, string>>;
  /** Fields of the form, each with its last value. */
  readonly form: Readonly<Record<string, string>>;
  /** The file of the form, where its route takes one. */
  readonly file: FormFile | undefined;
  /** What forms of this page send back. */
  readonly csrf: string;
  /** The browser puts the answer into a page that it has. */
  readonly isPartial: boolean;
  /** Nothing can be changed: the trial has expired. */
  readonly isReadOnly: boolean;
  /** The platform does not deliver messages that cost something, because its payment was refused. */
  readonly isUnpaid: boolean;
  readonly now: Date;
  /** What can be called, with what each takes and answers. */
  readonly operations: OperationTable;

  constructor(private readonly parts: PageParts) {
    const { req, res, ctx, credential, member, workspace, form } = parts;
    this.req = req;
    this.res = res;
    this.ctx = ctx;
    this.credential = credential;
    this.member = member;
    this.workspace = workspace;
    this.params = Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)]));
    this.query = Object.fromEntries(
      Object.entries(req.query)
        .map(([name, value]) => [name, String(Array.isArray(value) ? value.at(-1) : value)] as const)
        .filter(([, value]) => value !== ''),
    );
    this.form = Object.fromEntries(form);
    this.file = parts.file;
    this.csrf = maskCsrf(credential.csrfSecret ?? '');
    this.isPartial = req.get('hx-request') === 'true' && req.get('hx-history-restore-request') !== 'true';
    this.isReadOnly = credential.trialExpired;
    this.isUnpaid = parts.isUnpaid;
    this.operations = parts.operations;
    this.now = ctx.runtime.clock.now();
  }

  /** All fields of the form in their order. */
  get entries(): readonly (readonly [string, string])[] {
    return this.parts.form;
  }

  /** Returns all values of a field, as of checkboxes. */
  all(name: string): string[] {
    return this.parts.form.filter(([key]) => key === name).map(([, value]) => value);
  }

  /** Returns whether the member holds the permission. */
  can(scope: Scope): boolean {
    return this.credential.scopes.has(scope);
  }

  /** Returns whether the member may do it now: what a page shows as a button. */
  may(operationId: string): boolean {
    const operation = this.operations.get(operationId);
    const isRefused = this.isReadOnly && operation?.method !== 'GET' && !operation?.reactivates;
    return isPermitted(this.operations, this.credential, operationId) && !isRefused;
  }

  /**
   * Calls an operation of the API as this member. Lists come as `{items, count, next, previous}`, and need not count
   * further than a page shows. Throws AppError.
   */
  async call<T = Record<string, unknown>>(
    operationId: string,
    input: CallInput = {},
    options: Pick<Ctx, 'countsUpTo' | 'say'> = {},
  ): Promise<T> {
    const ctx = { ...this.ctx, ...options };
    return (await callOperation(this.operations, ctx, this.credential, operationId, input)) as T;
  }

  /**
   * Calls it once for the key that its form carries: a form that is sent twice does it once. `same` is what tells that
   * it is the same form, where its input is made anew each time.
   */
  async callOnce<T = Record<string, unknown>>(
    operationId: string,
    key: string,
    input: CallInput,
    same: CallInput = input,
  ): Promise<T> {
    return (await callOperationOnce(this.operations, this.ctx, this.credential, operationId, key, input, same)) as T;
  }

  /**
   * Makes something whose secret is shown once, once for the key of the form (`Once`); null: the form was sent
   * before.
   */
  async makeOnce<T = Record<string, unknown>>(operationId: string, input: CallInput): Promise<T | null> {
    const key = this.form['once'] ?? '';
    return (await makeOnce(this.operations, this.ctx, this.credential, operationId, key, input)) as T | null;
  }

  /** Calls it where the member may, else gives `otherwise`: for the parts that a page can do without. */
  async callIfPermitted<T>(operationId: string, input: CallInput, otherwise: T): Promise<T> {
    return isPermitted(this.operations, this.credential, operationId) ? this.call<T>(operationId, input) : otherwise;
  }

  /** Runs `work`; returns a refusal that belongs to the form as errors by field. */
  async attempt<T>(work: () => Promise<T>): Promise<{ value: T } | { errors: FieldErrors }> {
    try {
      return { value: await work() };
    } catch (error) {
      const isOfForm = error instanceof AppError && error.status < 500 && ![401, 404].includes(error.status);
      // A form that is on its way still keeps its key.
      if (!isOfForm || ['reauthentication_required', 'idempotency_in_flight'].includes(error.publicCode)) throw error;
      return { errors: errorsOf(error) };
    }
  }

  /** Answers with a whole page inside of the layout. */
  page(body: Html, options: PageOptions): PageAnswer {
    const { takeFlash, badges, newsFrom } = this.parts;
    const { member, workspace, csrf, isReadOnly, isUnpaid } = this;
    const layout = Layout({
      ...options,
      ...{ member, workspace, csrf, isReadOnly, isUnpaid, badges, newsFrom },
      body,
      brake: this.brake(),
      flash: takeFlash(),
      scopes: this.credential.scopes,
      mayLeave: this.may('ownSettings.update'),
    });
    return { status: options.status ?? 200, html: `<!doctype html>\n${render(layout)}`, headers: {} };
  }

  /** What says on every page that no rule acts; null while they do. */
  private brake(): Html | null {
    const { rule_brake: brake } = this.workspace;
    if (!brake) return null;
    const since = this.timePart(brake.since, 'full');
    return BrakeBanner({ since, reason: brake.reason, csrf: this.may('rules.brake') ? this.csrf : null });
  }

  /** Answers with a part of a page, for a request that the page itself made. */
  part(shown: Html, options: { readonly status?: number; readonly toast?: Toast } = {}): PageAnswer {
    return {
      status: options.status ?? 200,
      html: this.html(shown),
      headers: options.toast ? { 'HX-Trigger': toastEvent(options.toast) } : {},
    };
  }

  /** Returns a part as text for the browser. */
  html(shown: Html): string {
    return render(shown);
  }

  /** Answers with several parts in one response. */
  together(...answers: readonly PageAnswer[]): PageAnswer {
    return {
      status: answers[0]?.status ?? 200,
      html: answers.map(({ html }) => html).join('\n'),
      headers: Object.assign({}, ...answers.map(({ headers }) => headers)) as Record<string, string>,
    };
  }

  /** Sends a file. Opened by itself in a browser it cannot run scripts. */
  async stream(file: Stream): Promise<Handled> {
    const headers = { ...file.headers, 'Content-Security-Policy': "default-src 'none'; sandbox" };
    await sendStream(this.req, this.res, { ...file, headers });
    return handled;
  }

  /** Sends the browser to another page of ours, which shows the toast. */
  redirect(path: string, toast?: Toast): PageAnswer {
    return {
      status: this.isPartial ? 204 : 303,
      html: '',
      headers: this.isPartial ? { 'HX-Redirect': path } : { Location: path },
      ...(toast ? { toast } : {}),
    };
  }

  /** Address of a served file. */
  asset(name: AssetName): string {
    return assetPath(name);
  }

  /** Shows a moment in the workspace's time zone; the whole of it as its title. */
  timePart(value: Date | string | null | undefined, style: MomentStyle = 'short'): Html {
    const moment = momentOf(value);
    if (!moment) return Raw({ html: '' });
    const zone = this.workspace.timezone;
    const full = formatMoment(moment, zone, 'full', this.now);
    const html = `<time datetime="${moment.toISOString()}" title="${escapeHtml(`${full} (${zone})`)}">${escapeHtml(
      formatMoment(moment, zone, style, this.now),
    )}</time>`;
    return Raw({ html });
  }

  /** Returns a moment in the workspace's time zone, as text. */
  moment(value: Date | string | null | undefined, style: MomentStyle = 'full'): string {
    const moment = momentOf(value);
    return moment ? formatMoment(moment, this.workspace.timezone, style, this.now) : '';
  }

  /** Today, Yesterday, or the date. */
  dayHeading(value: Date | string): string {
    const moment = momentOf(value);
    return moment ? formatDayHeading(moment, this.workspace.timezone, this.now) : '';
  }

  /** Returns how long from now until a moment: `3 h 20 min`. */
  remaining(value: Date | string | null | undefined): string {
    const moment = momentOf(value);
    return moment ? formatDuration(moment.getTime() - this.now.getTime()) : '';
  }

  /** Address of a workflow in the Temporal Web UI; null where the setting names none, and for all but owners. */
  workflow(start: { readonly id: string }): string | null {
    return this.member.role === 'owner' ? workflowPage(this.ctx.runtime, start) : null;
  }

  /** The same for the workflows of a ticket or conversation. */
  workflowsOf(attribute: 'TicketId' | 'ConversationId', id: number): string | null {
    return this.member.role === 'owner' ? workflowListPage(this.ctx.runtime, attribute, id) : null;
  }

  /** Returns a path with a query; values that are empty are left out. */
  link(path: string, query?: Parameters<typeof linkTo>[1]): string {
    return linkTo(path, query);
  }
}

/** The header by which a part of a page shows a toast. */
export function toastEvent(toast: Toast): string {
  return eventsHeader({ toast });
}

/** Writes events for the header by which scripts hear them; headers hold ASCII only. */
export function eventsHeader(events: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(events).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
