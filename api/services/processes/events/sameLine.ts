import type { Ctx } from '../../../core/context';
import { joinLine } from '../contactMerge/resolve';
import type { StoredEvent } from './claim';
import { textOf, type Json } from './read';

/** Takes what the platform's answer to a send told: the number that was dialled is the line of another contact. */
export async function receiveSameLine(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = event.payload['value'] as Json;
  await joinLine(ctx, textOf(value['dialled'], 32), textOf(value['wa_id'], 32));
}
