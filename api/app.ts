import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { inTurnOf } from './core/db/database';
import { AppError } from './core/http/errors';
import type { Operation } from './core/http/operations';
import type { Runtime } from './core/runtime';
import { assetsRouter } from './doors/dashboard/assets';
import { dashboardRouter } from './doors/dashboard/routes/router';
import { factorRouter } from './doors/dashboard/factorPage';
import { linkRouter } from './doors/dashboard/links';
import { sessionRouter } from './doors/dashboard/session';
import { signInRouter } from './doors/dashboard/signIn';
import { speakToBrowser } from './doors/dashboard/speech';
import { ssoRouter } from './doors/dashboard/sso';
import { documentRouter } from './doors/document/router';
import { guideRouter } from './doors/docs/guide';
import { homeRouter } from './doors/docs/home';
import { docsRouter } from './doors/docs/router';
import { errorHandler } from './doors/http/errorHandler';
import { healthRouter } from './doors/http/health';
import { mountOperations, refuseUnknownPath } from './doors/http/mount';
import { createLimiters } from './doors/http/rateLimit';
import { authenticate } from './doors/http/authenticate';
import { compressed } from './doors/http/compress';
import { requestContext } from './doors/http/request';
import { mcpRouter } from './doors/mcp/router';
import { oauthRouter } from './doors/oauth/router';
import { inboundRouter } from './doors/events/router';
import { operations as declared } from './operations';

/** Lets the replica answer what only reads, where there is one: REST, MCP and dashboard call these. */
function readingFromReplica({ replica }: Runtime, operations: readonly Operation[]): readonly Operation[] {
  if (!replica) return operations;
  return operations.map((operation) =>
    operation.method === 'GET'
      ? { ...operation, run: (ctx, input) => replica.read(operation.id, () => operation.run(ctx, input)) }
      : operation,
  );
}

/** Makes every operation take the turns of its workspace where connections to the database are scarce. */
function inTurns(operations: readonly Operation[]): readonly Operation[] {
  return operations.map((operation) => ({
    ...operation,
    run: (ctx, input) => inTurnOf(ctx.workspaceId, () => operation.run(ctx, input)),
  }));
}

/** Gives every operation a span of its own, where traces are on. */
function traced(runtime: Runtime, operations: readonly Operation[]): readonly Operation[] {
  if (!runtime.tracing.sdk) return operations;
  return operations.map((operation) => ({
    ...operation,
    run: (ctx, input) =>
      runtime.tracing.span(
        `operation ${operation.id}`,
        { attributes: { 'msgdesk.workspace_id': ctx.workspaceId } },
        () => operation.run(ctx, input),
      ),
  }));
}

/** Creates the Express app with all routes. The process entry and tests make it listen. */
export function createApp(runtime: Runtime, options: { readonly isStopping?: () => boolean } = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', runtime.config.trustProxy);
  const limiters = createLimiters(runtime);
  const operations = traced(runtime, inTurns(readingFromReplica(runtime, declared)));

  const isKnown = (req: Request): Promise<boolean> =>
    authenticate(runtime, req).then(
      () => true,
      () => false,
    );
  app.use(requestContext(runtime, isKnown));
  const isStopping = options.isStopping ?? (() => false);
  app.use(healthRouter(runtime, isStopping));
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }, useDefaults: false },
      strictTransportSecurity: runtime.config.baseUrl.startsWith('https:'),
    }),
  );
  // First: most requests are for them, and what they answer is too short to compress.
  app.use(inboundRouter(runtime, limiters));
  app.use(compressed());
  app.use(mountOperations(runtime, operations, limiters));
  app.use(['/dashboard', '/oauth'], speakToBrowser);
  app.use(
    sessionRouter(runtime, limiters),
    assetsRouter(),
    signInRouter(runtime, limiters),
    linkRouter(runtime, limiters),
  );
  app.use(factorRouter(runtime, limiters), ssoRouter(runtime, limiters));
  app.use(dashboardRouter(runtime, operations, limiters, isStopping));
  app.use(documentRouter(runtime, operations, limiters));
  app.use(homeRouter(runtime, limiters), guideRouter(runtime), docsRouter());

  app.use(oauthRouter(runtime, limiters));
  app.use(mcpRouter(runtime, operations, limiters));

  app.use((req, res, next) => {
    refuseUnknownPath(runtime, limiters, req, res).catch(next);
  });
  app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    // A path that cannot be decoded is an unknown one.
    if (error instanceof AppError || (error as { status?: unknown }).status !== 400) next(error);
    else refuseUnknownPath(runtime, limiters, req, res).catch(next);
  });
  app.use(errorHandler(runtime));
  return app;
}
