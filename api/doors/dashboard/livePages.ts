import { AppError } from '../../core/http/errors';
import { authenticateSession } from '../../services/identity/apiKeys/authenticate';
import { cookieOf } from '../http/request';
import { type LiveHub, readPositionText } from './live';
import { definePages, handled, type PageRoute } from './page';
import { sessionCookie } from './signIn';

/** The stream of news, `GET /dashboard/live/`: server-sent events for the page of a member. */
export function livePages(hub: LiveHub): readonly PageRoute[] {
  return definePages([
    {
      method: 'GET',
      path: '/dashboard/live/',
      scope: null,
      run: async (page) => {
        const { req, ctx, credential } = page;
        const { res } = page;
        if (!hub.makeRoom({ memberId: page.member.id, workspaceId: ctx.workspaceId }))
          throw new AppError('unavailable', 'Too many pages listen. Close some.', { retryAfter: 10 });
        const token = cookieOf(req, sessionCookie) ?? '';
        const watched = Number(page.query['watch'] ?? Number.NaN);
        res
          .status(200)
          .setHeader('Content-Type', 'text/event-stream; charset=utf-8')
          .setHeader('Cache-Control', 'no-store')
          // Proxies that collect answers would keep the news to themselves.
          .setHeader('X-Accel-Buffering', 'no');
        res.flushHeaders();
        await hub.add({
          res,
          workspaceId: ctx.workspaceId,
          memberId: page.member.id,
          scopes: credential.scopes,
          watches: Number.isSafeInteger(watched) && watched > 0 ? watched : null,
          after: readPositionText(req.get('last-event-id') ?? page.query['after']),
          look: async () => (await authenticateSession(ctx.runtime, token))?.scopes ?? null,
        });
        return handled;
      },
    },
  ]);
}
