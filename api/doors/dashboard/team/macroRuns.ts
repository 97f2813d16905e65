import type { MacroView } from '../../../services/resources/macros/serializer';
import { readVariables } from '../../../services/resources/macros/params';
import { rehearseMacro } from '../../../services/processes/macroRuns/service';
import { shownSends } from '../../../services/processes/approvals/shownSends';
import { ownDecision } from '../../../services/resources/contacts/preference';
import { asText, loadLookups, type Json } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { refusalText } from '../refusals';
import { words } from '../words';
import { listText } from '../words/lists';
import { describeStep } from './stepTexts';
import { inboxPath } from '../inbox/filters';
import { sends } from '../inbox/headTools';
import { titleOf, type WireConversation } from '../inbox/load';
import { showPreview, type MacroPreview } from '../inbox/macroPreview';
import { changed, nothingChosen, refused } from '../inbox/openConversation';

const { macro: said } = words.inbox;

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
  const ran = await page.attempt(() => page.call('macros.run', run));
  if ('errors' in ran) return refused(page, receiver, ran.errors);
  return changed(page, receiver, { text: await toldRun(page, receiver) });
}

/** Says what a macro did, as its editor does; and of an opt-out that the customer asked for, that it stays. */
async function toldRun(page: PageRequest, receiver: string): Promise<string> {
  const [macro, lookups] = await Promise.all([chosenMacro(page), loadLookups(page)]);
  const steps = macro?.actions ?? [];
  if (steps.length === 0) return said.ranNothing;
  const optsIn = steps.some(({ type, params }) => type === 'update_contact' && params['marketing_opt_out'] === false);
  const isKept =
    optsIn && (await page.call<WireConversation>('conversations.get', { receiver_id: receiver })).marketing_opt_out;
  const told = steps.map(({ type, params }) => describeStep(type, params, lookups).text);
  return [said.ran(listText(told)), ...(isKept ? [refusalText(ownDecision)] : [])].join(' ');
}

const chosenMacro = async (page: PageRequest): Promise<MacroView | undefined> =>
  (await page.call<readonly MacroView[]>('macros.list')).find(({ id }) => String(id) === page.form['macro']);

/**
 * Shows what a macro would send and do, as a rehearsal has found out; null for one that sends nothing, or was shown
 * before. Throws what a run would be refused for.
 */
async function previewMacro(page: PageRequest, conversation: WireConversation): Promise<PageAnswer | null> {
  if (page.form['confirmed'] === 'yes' || !page.may('macros.run')) return null;
  const macro = await chosenMacro(page);
  if (!macro || !sends(macro)) return null;
  const { frozen, steps } = await rehearseMacro(page.ctx, macro.id, { chat_id: conversation.id });
  const texts = shownSends(frozen).flatMap(({ kind, text }) => (kind === 'message' ? [asText(text)] : []));
  // The rehearsal draws numbers for the tickets that it creates; the run will draw others.
  const created = frozen.flatMap((one) => (one.kind === 'ticket' ? [String(one.id)] : []));
  const lookups = await loadLookups(page);
  const preview: MacroPreview = {
    action: page.req.originalUrl,
    macro: macro.id,
    title: said.ask(macro.name, titleOf(conversation)),
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
  return text.replace(/\d+/g, (number) => (tickets.includes(number) ? said.newTicket : number));
}
