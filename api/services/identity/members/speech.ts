import type { Ctx } from '../../../core/context';
import { chooseLanguage, speaking } from '../../../core/text/language';
import { getWorkspace } from '../workspaces/service';
import { getMember } from './service';

/** Runs work whose texts a member reads outside of pages: in the language that they chose, else in the workspace's. */
export async function speakingTo<T>(ctx: Ctx, memberId: number, work: () => Promise<T>): Promise<T> {
  const [{ locale }, { language }] = await Promise.all([getMember(ctx, memberId), getWorkspace(ctx)]);
  return speaking(chooseLanguage(locale, '', language), work);
}
