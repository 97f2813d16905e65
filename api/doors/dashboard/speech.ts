import type { Request, RequestHandler } from 'express';
import { chooseLanguage, speak, speaking } from '../../core/text/language';
import type { Ctx } from '../../core/context';
import { getMember } from '../../services/identity/members/service';
import { getWorkspace } from '../../services/identity/workspaces/service';

const acceptedBy = (req: Request): string | undefined => req.get('accept-language');

/** Answers in the language of the browser, until it is known who asks. */
export const speakToBrowser: RequestHandler = (req, _res, next) =>
  speaking(chooseLanguage(null, acceptedBy(req)), () => next());

/** Goes on in the language of a member: what they chose, else what their browser accepts, else their workspace's. */
export function speakTo(
  req: Request,
  member: { readonly locale: string | null },
  workspace: { readonly language: string },
): void {
  speak(chooseLanguage(member.locale, acceptedBy(req), workspace.language));
}

/** The same where member and workspace are not read yet. */
export async function speakToActor(req: Request, ctx: Ctx): Promise<void> {
  const [member, workspace] = await Promise.all([getMember(ctx, ctx.actor.memberId ?? 0), getWorkspace(ctx)]);
  speakTo(req, member, workspace);
}
