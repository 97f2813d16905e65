import type { MacroView } from '../../../services/resources/macros/serializer';
import { readVariables } from '../../../services/resources/macros/params';
import { rehearseMacro } from '../../../services/processes/macroRuns/service';
import { shownSends } from '../../../services/processes/approvals/shownSends';
import { asText, loadLookups, type Json } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { describeStep } from './stepTexts';
import { inboxPath } from '../inbox/filters';
import { sends } from '../inbox/head';
import { titleOf, type WireConversation } from '../inbox/load';
import { showPreview, type MacroPreview } from '../inbox/macroPreview';
import { changed, nothingChosen, refused } from '../inbox/openConversation';

/** Macros in a conversation. */
export const macroRunPages = definePages([
  { method: 'POST', path: `${inboxPath}:receiver/macro/`, scope: 'macro.view', run: runMacro },
]);

async function runMacro(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  if (!page.form['macro']) return refused(page, receiver, nothingChosen());
  const conversation = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const preview = await page.attempt(() => previewMacro(page, conversation));
  if ('errors' in preview) return refused(page, receiver, preview.errors);
  if (preview.value) return preview.value;
  const run = { id: page.form['macro'], chat_id: conversation.id };
  const ran = await page.attempt(() => page.call<{ ran: { detail: string }[] }>('macros.run', run));
  if ('errors' in ran) return refused(page, receiver, ran.errors);
  return changed(page, receiver, { text: ran.value.ran.map(({ detail }) => detail).join(' ') || 'The macro ran.' });
}

/**
 * Shows what a macro would send and do, as a rehearsal has found out; null for one that sends nothing, or was shown
 * before. Throws what a run would be refused for.
 */
async function previewMacro(page: PageRequest, conversation: WireConversation): Promise<PageAnswer | null> {
  const { macro: id, confirmed } = page.form;
  if (confirmed === 'yes' || !page.may('macros.run')) return null;
  const macro = (await page.call<readonly MacroView[]>('macros.list')).find((one) => String(one.id) === id);
  if (!macro || !sends(macro)) return null;
  const { frozen, steps } = await rehearseMacro(page.ctx, macro.id, { chat_id: conversation.id });
  const texts = shownSends(frozen).flatMap(({ kind, text }) => (kind === 'message' ? [asText(text)] : []));
  // The rehearsal draws numbers for the tickets that it creates; the run will draw others.
  const created = frozen.flatMap((one) => (one.kind === 'ticket' ? [String(one.id)] : []));
  const lookups = await loadLookups(page);
  const preview: MacroPreview = {
    action: page.req.originalUrl,
    macro: macro.id,
    title: `Run “${macro.name}” for ${titleOf(conversation)}?`,
    steps: steps.map(({ type, params }) => {
      const { text } = describeStep(type, params as Json, lookups);
      const sent = type.startsWith('send_') ? texts.shift() : undefined;
      const says = sent !== undefined && namesTicket(params as Json) ? withoutNumbers(sent, created) : sent;
      return { text, ...(says === undefined ? {} : { says }) };
    }),
    back: `${inboxPath}${encodeURIComponent(conversation.receiver_id)}/`,
  };
  return showPreview(page, preview);
}

/** Returns whether a step that sends tells the customer the number of the ticket. */
function namesTicket(params: Json): boolean {
  const { header = {}, body = {} } = readVariables(params['template_variables']) ?? {};
  return [header, body]
    .flatMap((bindings) => Object.values(bindings))
    .some((binding) => binding.source === 'ticket' && binding.field === 'id');
}

/** Writes words in place of the numbers of tickets that do not exist yet. */
function withoutNumbers(text: string, tickets: readonly string[]): string {
  return text.replace(/\d+/g, (number) => (tickets.includes(number) ? '[number of the new ticket]' : number));
}
