import express, { type Request, type Response, type Router } from 'express';
import { AppError } from '../../core/errors';
import type { Runtime } from '../../core/runtime';
import { safeEqual, sha256 } from '../../core/secrets';
import { authenticateSession, credentialCtx, type Credential } from '../../services/apiKeys/authenticate';
import { listApprovals } from '../../services/approvals/service';
import { getMember } from '../../services/members/service';
import { signOut } from '../../services/members/sessions';
import { getWorkspace } from '../../services/workspaces/service';
import { readRaw } from '../http/bodies';
import { agentGuidePath } from '../docs/router';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { cookieOf, stateOf } from '../http/request';
import { sendOn, sendPage } from './pages';
import { sessionCookie, signInPath } from './signIn';

const home = '/dashboard/';
const signOutPath = '/dashboard/sign-out/';
const bodyLimit = 4 * 1024;

const template = `
<h1><%= it.workspace %></h1>
<p class="soft">Signed in as <%= it.name %> (<%= it.role %>).</p>
<% if (it.trial) { %><div class="note" role="status"><p><%= it.trial %></p></div><% } %>
<p><%= it.approvals %></p>
<ul>
<li><a href="/docs/">API reference</a>, with requests to try</li>
<li><a href="/api/v1/openapi.json">OpenAPI document</a></li>
<li><a href="<%= it.agentGuide %>">How to connect an agent</a></li>
</ul>
<form method="post" action="<%= it.signOut %>">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button class="button" type="submit">Sign out</button></div>
</form>
`;

/** The member's first page and the way out; both by session cookie only. */
export function homeRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = express.Router();
  for (const [path, answer] of [
    [home, showHome],
    [signOutPath, leave],
  ] as const) {
    router.all(path, (req, res, next) => {
      stateOf(res).route = path;
      passLimiter(limiters.anonymous, req, res)
        .then(() => answer(runtime, req, res))
        .catch(next);
    });
  }
  return router;
}

async function sessionOf(runtime: Runtime, req: Request): Promise<{ token: string; credential: Credential } | null> {
  const token = cookieOf(req, sessionCookie);
  const credential = token === null ? null : await authenticateSession(runtime, token);
  return token !== null && credential ? { token, credential } : null;
}

async function showHome(runtime: Runtime, req: Request, res: Response): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD')
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, {
      headers: { Allow: 'GET, HEAD' },
    });
  const session = await sessionOf(runtime, req);
  if (!session) {
    sendOn(res, signInPath);
    return;
  }
  const { credential } = session;
  const ctx = credentialCtx(runtime, credential, stateOf(res).requestId);
  const [member, workspace, waiting] = await Promise.all([
    getMember(ctx, credential.memberId),
    getWorkspace(runtime, credential.workspaceId),
    listApprovals(ctx, { status: 'pending', page_size: 1 }),
  ]);
  const count = waiting.count ?? 0;
  sendPage(res, 200, {
    title: workspace.name,
    template,
    formAction: "'self'",
    data: {
      workspace: workspace.name,
      name: member.name || member.email,
      role: member.role,
      trial: credential.trialExpired
        ? 'The trial of this workspace has expired: API keys are refused until a plan is chosen.'
        : '',
      approvals:
        count === 0
          ? 'No call of an agent waits for approval.'
          : `${count} ${count === 1 ? 'call of an agent waits' : 'calls of agents wait'} for approval (GET /api/v1/approvals/).`,
      agentGuide: agentGuidePath,
      signOut: signOutPath,
      csrf: credential.csrfSecret ?? '',
    },
  });
}

async function leave(runtime: Runtime, req: Request, res: Response): Promise<void> {
  if (req.method !== 'POST')
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, { headers: { Allow: 'POST' } });
  const session = await sessionOf(runtime, req);
  const form = new URLSearchParams((await readRaw(req, res, bodyLimit)).toString('utf8'));
  if (session && !safeEqual(sha256(form.get('csrf') ?? ''), sha256(session.credential.csrfSecret ?? '')))
    throw new AppError('forbidden', 'This form was open for too long. Please try again.');
  if (session) await signOut(runtime, session.token);
  res.clearCookie(sessionCookie, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: runtime.config.baseUrl.startsWith('https:'),
  });
  sendOn(res, signInPath);
}
