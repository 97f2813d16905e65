import express, { type Request, type Response, type Router } from 'express';
import { AppError, missingScope } from '../../../core/http/errors';
import { reportFault } from '../../../core/http/faults';
import { askingOnce, inTurnOf } from '../../../core/db/database';
import type { Operation } from '../../../core/http/operations';
import type { Runtime } from '../../../core/runtime';
import { authenticateSession, credentialCtx, type Credential } from '../../../services/identity/apiKeys/authenticate';
import { isPaymentRefused } from '../../../services/resources/accounts/payment';
import { readPosition } from '../../../services/processes/live/changes';
import { getMember } from '../../../services/identity/members/service';
import { getWorkspace } from '../../../services/identity/workspaces/service';
import { defaultBodyLimit, readForm, type FormFile } from '../../http/bodies';
import { toAppError } from '../../http/errorHandler';
import { addressOf } from '../../http/network';
import { passLimiter, type Limiters } from '../../http/rateLimit';
import { cookieOf, stateOf } from '../../http/request';
import { accountPages } from '../account';
import { sendAnswer, takeFlash } from '../answer';
import { errorsOf, type OperationTable } from '../callOperation';
import { choiceRoute } from '../choices';
import { contactBulkPages } from '../contacts/bulk';
import { contactChoices } from '../contacts/choices';
import { contactMergePages } from '../contacts/merge';
import { contactPages } from '../contacts/pages';
import { contactTransferPages } from '../contacts/transfer';
import { isCsrfToken } from '../csrf';
import { readBadges } from '../concerns/badges';
import { concernPages } from '../concerns/pages';
import { bulkPages } from '../inbox/bulk';
import { laterPages } from '../inbox/laterPages';
import { inboxPages } from '../inbox/pages';
import { searchPages } from '../inbox/search';
import { panelTicketPages } from '../inbox/tickets';
import { teamworkPages } from '../inbox/teamwork';
import { LiveHub, writePosition } from '../live';
import { lastChangePages } from '../lastChange';
import { livePages } from '../livePages';
import { handled, PageRequest, toastEvent, type PageAnswer, type PageRoute, type Toast } from '../page';
import { confirmPage, problemPage } from '../plainPages';
import { askAgain, isAskedAgain, takeProof } from '../reauthentication';
import { refusalText } from '../refusals';
import { sessionCookie, signInPath } from '../signIn';
import { searchAllPages } from '../search/pages';
import { speakTo } from '../speech';
import { pipelinePages } from '../pipelines/pages';
import { scopeWords } from '../team/scopeBoxes';
import { teamPages } from './teamPages';
import { uploadPages } from '../upload';
import { bulkTicketPages } from '../tickets/bulk';
import { ticketChoices } from '../tickets/choices';
import { ticketPages } from '../tickets/pages';
import { words } from '../words';

const { plain } = words;

const home = '/dashboard/';

/** All pages of the dashboard, and what is done from them. */
export const pageRoutes: readonly PageRoute[] = [
  ...accountPages,
  ...lastChangePages,
  ...uploadPages,
  ...searchAllPages,
  ...concernPages,
  ...teamworkPages,
  ...bulkPages,
  ...inboxPages,
  ...laterPages,
  ...searchPages,
  ...panelTicketPages,
  ...bulkTicketPages,
  ...contactTransferPages,
  choiceRoute(contactChoices),
  choiceRoute(ticketChoices),
  ...contactBulkPages,
  ...contactMergePages,
  ...contactPages,
  ...ticketPages,
  ...pipelinePages,
  ...teamPages,
];

/** The dashboard: pages for members by their session cookie. Unknown paths below it are its own 404. */
export function dashboardRouter(
  runtime: Runtime,
  operations: readonly Operation[],
  limiters: Limiters,
  isStopping: () => boolean,
): Router {
  const router = express.Router();
  const table: OperationTable = new Map(operations.map((operation) => [operation.id, operation]));
  const byPath = new Map<string, PageRoute[]>();
  for (const route of [...pageRoutes, ...livePages(new LiveHub(runtime, isStopping))])
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);

  for (const [path, group] of byPath) {
    router.all(path, (req, res, next) => {
      stateOf(res).route = path;
      serve(runtime, table, limiters, group, req, res).catch(next);
    });
  }
  router.all(['/dashboard', '/dashboard/*rest'], (req, res, next) => {
    stateOf(res).route = '/dashboard/*';
    serve(runtime, table, limiters, [], req, res).catch(next);
  });
  return router;
}

async function serve(
  runtime: Runtime,
  table: OperationTable,
  limiters: Limiters,
  group: readonly PageRoute[],
  req: Request,
  res: Response,
): Promise<void> {
  const secure = runtime.config.baseUrl.startsWith('https:');
  const token = cookieOf(req, sessionCookie);
  const credential = token === null ? null : await authenticateSession(runtime, token);
  if (!credential) {
    await passLimiter(limiters.anonymous, req, res);
    await sendAnswer(req, res, toSignIn(req), '', secure);
    return;
  }
  stateOf(res).credential = credential;
  const secret = credential.csrfSecret ?? '';
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  const route = group.find((candidate) => candidate.method === method);
  let page: PageRequest | null = null;
  try {
    await passLimiter(limiters.dashboard, req, res);
    let file: FormFile | undefined;
    const keep = route?.takesFile ? (one: FormFile): void => void (file ??= one) : undefined;
    const isForm = method === 'POST' && !route?.uploads;
    const form = isForm ? await readForm(req, res, route?.formLimit ?? defaultBodyLimit, keep) : [];
    const sent = { form, file };
    page = await open(runtime, table, credential, req, res, sent);
    if (method === 'POST') refuseForgery(req, page, secret);
    const wrong = method === 'POST' ? await takeProof(page) : undefined;
    if (wrong === null) page = await open(runtime, table, { ...credential, verifiedAt: new Date() }, req, res, sent);
    const own = page;
    const answer = await inTurnOf(credential.workspaceId, () =>
      wrong ? askAgain(own, wrong) : answerRoute(own, group, route, req, res),
    );
    if (answer !== handled) await sendAnswer(req, res, answer, secret, secure);
  } catch (error) {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (route?.uploads) throw inMembersWords(error);
    const answer = page && isAskedAgain(error) ? await askAgain(page) : refusal(runtime, req, res, page, error);
    await sendAnswer(req, res, answer, secret, secure);
  }
}

async function open(
  runtime: Runtime,
  operations: OperationTable,
  credential: Credential,
  req: Request,
  res: Response,
  sent: { readonly form: readonly (readonly [string, string])[]; readonly file: FormFile | undefined },
): Promise<PageRequest> {
  const ctx = credentialCtx(runtime, credential, stateOf(res).requestId, addressOf(req));
  const isPart = req.get('hx-request') !== undefined;
  // Before anything else is read: what changes while the page is made is news to it.
  const newsFrom = isPart ? '' : writePosition(await readPosition(runtime));
  const [member, workspace, badges, isUnpaid] = await Promise.all([
    getMember(ctx, credential.memberId),
    getWorkspace(ctx),
    isPart ? {} : readBadges(ctx),
    !isPart && isPaymentRefused(ctx),
  ]);
  speakTo(req, member, workspace);
  const flashed = (): Toast | null =>
    req.method === 'GET' && !isPart ? takeFlash(req, res, credential.csrfSecret ?? '') : null;
  const known = { member, workspace, takeFlash: flashed, badges, isUnpaid, newsFrom };
  return new PageRequest({ req, res, ctx, credential, operations, ...sent, ...known });
}

async function answerRoute(
  page: PageRequest,
  group: readonly PageRoute[],
  route: PageRoute | undefined,
  req: Request,
  res: Response,
): Promise<PageAnswer | typeof handled> {
  if (group.length === 0) throw new AppError('not_found', plain.noPage);
  if (!route) {
    res.setHeader('Allow', group.map(({ method }) => method).join(', '));
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`);
  }
  if (route.scope !== null && !page.can(route.scope)) throw missingScope(route.scope);
  const isConfirmed = page.form['confirmed'] === 'yes';
  const confirm = typeof route.confirm !== 'function' ? route.confirm : isConfirmed ? null : await route.confirm(page);
  if (confirm && !isConfirmed) return confirmPage(page, confirm, backOf(req));
  return route.asksOnce ? askingOnce(() => route.run(page)) : route.run(page);
}

/** A cookie travels by itself: only our own pages know the secret that goes with it. */
function refuseForgery(req: Request, page: PageRequest, secret: string): void {
  const given = page.form['csrf'] ?? req.get('x-csrf-token') ?? '';
  const origin = req.headers.origin;
  const isOwn = origin === undefined || origin === new URL(page.ctx.runtime.config.baseUrl).origin;
  if (!isOwn) throw new AppError('forbidden', plain.otherOrigin(origin, page.ctx.runtime.config.baseUrl));
  if (!isCsrfToken(secret, given)) throw new AppError('forbidden', words.refusals.pageOld);
}

function toSignIn(req: Request): PageAnswer {
  // A stream cannot be led to a page (live.js).
  if (req.get('accept') === 'text/event-stream') return { status: 401, html: '', headers: {} };
  // The address of a part is no page to come back to; that of the page around it is.
  const partial = req.get('hx-request') !== undefined;
  const current = partial ? pathOf(req.get('hx-current-url')) : req.method === 'GET' ? req.originalUrl : home;
  const target =
    current === home || current === '/dashboard' ? signInPath : `${signInPath}?next=${encodeURIComponent(current)}`;
  return { status: partial ? 401 : 303, html: '', headers: partial ? { 'HX-Redirect': target } : { Location: target } };
}

function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return home;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function backOf(req: Request): string {
  const path = pathOf(req.get('referer'));
  return path.startsWith(home) ? path : home;
}

/** Returns a refusal or fault as a page, or as a toast where the page itself asked. */
function refusal(runtime: Runtime, req: Request, res: Response, page: PageRequest | null, error: unknown): PageAnswer {
  const known = toAppError(error);
  const { requestId } = stateOf(res);
  if (!known) reportFault(runtime.logger, requestId, error);
  const status = known?.status ?? 500;
  const message = known ? wordsOf(known) : plain.fault(requestId);
  const retry: Record<string, string> =
    known?.details.retryAfter === undefined ? {} : { 'Retry-After': String(known.details.retryAfter) };
  if (req.get('hx-request') !== undefined || !page) {
    const toast = toastEvent({ text: message, kind: 'bad' });
    return { status, html: page ? '' : message, headers: { ...retry, 'HX-Trigger': toast } };
  }
  const titles: Readonly<Record<number | string, string>> = plain.problems;
  const title = titles[status] ?? (known ? plain.problems.refused : plain.problems.fault);
  const answer = problemPage(page, status, { title, message, back: backOf(req) });
  return { ...answer, headers: { ...answer.headers, ...retry } };
}

/** Returns a refusal that is answered in JSON as the member reads it; a fault of ours is none. */
function inMembersWords(error: unknown): unknown {
  const known = toAppError(error);
  if (!known) return error;
  const said = known.fields ? Object.values(errorsOf(known)).flat().join(' ') : wordsOf(known);
  return new AppError(known.code, known.why, { ...known.details, body: { error: said } });
}

function wordsOf(error: AppError): string {
  const { missingScope: scope } = error.details;
  if (scope === undefined) return refusalText(error.why);
  return plain.lacks(scopeWords(scope));
}
