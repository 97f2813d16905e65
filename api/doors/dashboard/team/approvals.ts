import { approvalExpiryStart } from '../../../../workflows/starts';
import type { Scope } from '../../../core/access';
import { isPlainObject } from '../../../core/fields';
import type { Page } from '../../../core/operations';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { customerByHandle, customerById, loadLookups, objectsOf, asText, type Json, type Lookups } from '../lookups';
import { describeContent, describeStep, stageName, type Told } from './stepTexts';

const path = '/dashboard/approvals/';
const place = 'approvals';

interface Approval {
  readonly id: number;
  readonly connection: { readonly kind: string; readonly id: number; readonly name: string };
  readonly requested_by: { readonly name: string } | null;
  readonly autonomy: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly macro_name: string | null;
  readonly steps: unknown;
  readonly status: string;
  readonly required_scopes: readonly Scope[];
  readonly expires_at: string | null;
}

/** What a parked call would do, as its card says it. */
interface Parked {
  readonly title: string;
  /** Whom it reaches; null where the call names none. */
  readonly to: { readonly name: string; readonly handle: string } | null;
  readonly steps: readonly Told[];
}

/** The calls of agents that wait for a member, and those that were decided. */
export const approvalPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'chat.view',
    run: async (page) => {
      const status = page.query['status'] ?? 'pending';
      const list = await page.call<Page<Approval>>('approvals.list', {
        ...(status === 'all' ? {} : { status }),
        page: page.query['page'],
        cursor: page.query['cursor'],
        page_size: 20,
      });
      const lookups = await loadLookups(page);
      const cards = await Promise.all(list.items.map((item) => card(page, item, lookups)));
      return page.page('/approvals/list', { list, cards, status, path }, { title: 'Approvals', place });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: 'chat.view',
    run: (page) => one(page, {}),
  },
  decision('approve', 'Approved.'),
  decision('reject', 'Rejected. Nothing was sent.'),
]);

function decision(what: 'approve' | 'reject', done: string): ReturnType<typeof definePages>[number] {
  return {
    method: 'POST',
    path: `${path}:id/${what}/`,
    scope: 'chat.view',
    run: async (page) => {
      const decided = await page.attempt(() => page.call(`approvals.${what}`, { id: page.params['id'] }));
      if ('errors' in decided) return one(page, { errors: decided.errors, status: 409 });
      return page.redirect(path, { text: done });
    },
  };
}

async function one(
  page: PageRequest,
  { errors, status }: { readonly errors?: object; readonly status?: number },
): Promise<PageAnswer> {
  const approval = await page.call<Approval>('approvals.get', { id: page.params['id'] });
  const data = { card: await card(page, approval, await loadLookups(page)), errors, path };
  return page.page('/approvals/one', data, { title: 'Approval', place, ...(status ? { status } : {}) });
}

async function card(page: PageRequest, approval: Approval, lookups: Lookups): Promise<object> {
  const parked = await describeCall(page, approval, lookups);
  const workflow =
    approval.expires_at === null ? null : page.workflow(approvalExpiryStart(page.workspace.id, approval.id));
  return { approval, parked, workflow, exact: JSON.stringify(approval.arguments, null, 2) };
}

async function describeCall(page: PageRequest, approval: Approval, lookups: Lookups): Promise<Parked> {
  const { arguments: input, tool } = approval;
  if (tool === 'run_macro') {
    const contact = input['chat_id'] === undefined ? null : await customerById(page, Number(input['chat_id']));
    const steps = objectsOf(approval.steps).map(({ type, params }) =>
      describeStep(asText(type), isPlainObject(params) ? params : {}, lookups, contact as Json | null),
    );
    const target = input['ticket_id'] ? ` on ticket ${asText(input['ticket_id'])}` : '';
    return {
      title: `Run the macro “${approval.macro_name ?? asText(input['id'])}”${target}`,
      to: contact && { name: contact.name, handle: contact.receiver_id },
      steps,
    };
  }
  if (tool === 'update_ticket') {
    const changes = Object.entries(input).filter(([key, value]) => key !== 'id' && value !== undefined);
    return {
      title: `Change ticket ${asText(input['id'])}`,
      to: null,
      steps: changes.map(([key, value]) => ({
        text:
          key === 'stage' ? `Move to ${stageName(lookups, value)}` : `${key.replaceAll('_', ' ')}: ${asText(value)}`,
      })),
    };
  }
  const handle = asText(input['to'] ?? input['receiver_id']);
  const contact = handle === '' ? null : await customerByHandle(page, handle);
  return {
    title: tool === 'send_template' || input['template_id'] ? 'Send a template' : 'Send a message',
    to: { name: contact?.name ?? '', handle: contact?.receiver_id ?? handle },
    steps: [{ text: '', says: describeContent(input, lookups, contact as Json | null) }],
  };
}
