import { accountHandlers } from './accountEvents';
import type { Context } from '../context';
import { ControlError } from './controlError';
import { elsewhereHandlers } from './elsewhere';
import { systemMessage } from './inbound';
import { contactOf, emitStatus, metadataOf } from '../wire/statuses';
import { bodyTextOf, buttonsOf, componentOf } from '../wire/validateTemplate';
import type { Account, Flow, JsonObject, Template } from '../types';
import { accountFor, applyUser, changeNumber, changeUserId, phoneFor, selectUser } from './users';
import { digitsOf, isObject, objectsOf, textOf, unixSeconds } from '../util';

/** Events that describe a template without changing its status. */
const statusKeepingEvents = new Set(['FLAGGED', 'LOCKED', 'LIMIT_EXCEEDED']);
const statusOfEvent: Record<string, string> = { REINSTATED: 'APPROVED', UNARCHIVED: 'APPROVED' };

type Handler = (context: Context, input: JsonObject) => JsonObject | Promise<JsonObject>;

/** Plays one upstream event: changes our own state, then sends its webhook. */
export async function playEvent(context: Context, input: JsonObject): Promise<JsonObject> {
  const kind = textOf(input['kind']) ?? '';
  const handler = handlers[kind];
  if (!handler) throw new ControlError(400, `kind must be one of ${Object.keys(handlers).join(', ')}.`);
  const result = await handler(context, input);
  context.changed();
  return { kind, ...result };
}

function send(context: Context, account: Account, field: string, value: JsonObject): JsonObject {
  context.webhooks.enqueue(account, { field, value, time: unixSeconds(context.clock()) });
  return { field, value };
}

function templateFor(context: Context, input: JsonObject): { account: Account; template: Template } {
  const id = textOf(input['template_id']);
  const byId = id ? context.state.templates.get(id) : undefined;
  if (byId) return byId;
  const account = accountFor(context, input);
  const name = textOf(input['name'] ?? input['template_name']);
  const template = account.templates.find(
    (item) => item.name === name && (!input['language'] || item.language === input['language']),
  );
  if (!template) throw new ControlError(404, 'No such template; name it by template_id, or name and language.');
  return { account, template };
}

/** Returns the keys that every template event carries; the id is a JSON integer here, unlike in REST. */
function templateKeys(template: Template): JsonObject {
  return {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
  };
}

/** Applies and announces a template's new status; also used by the scripted review. */
export function templateStatus(
  context: Context,
  account: Account,
  template: Template,
  event: string,
  input: JsonObject = {},
): JsonObject {
  const reason = 'reason' in input ? input['reason'] : event === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE';
  if (!statusKeepingEvents.has(event)) template.status = statusOfEvent[event] ?? event;
  template.rejected_reason = event === 'REJECTED' ? String(reason ?? 'NONE') : 'NONE';
  if (event === 'DELETED') {
    account.templates = account.templates.filter((item) => item !== template);
    context.state.index(account);
  }
  const value: JsonObject = { event, ...templateKeys(template), reason, message_template_category: template.category };
  for (const key of ['disable_info', 'other_info', 'rejection_info', 'message_template_language'])
    if (key in input) value[key] = input[key];
  return send(context, account, 'message_template_status_update', value);
}

function flowFor(context: Context, input: JsonObject): { account: Account; flow: Flow } {
  const found = context.state.flows.get(textOf(input['flow_id']) ?? '');
  if (!found) throw new ControlError(404, 'No such flow.');
  return found;
}

const handlers: Record<string, Handler> = {
  template_status: (context, input) => {
    const { account, template } = templateFor(context, input);
    const event = textOf(input['event'] ?? input['status'])?.toUpperCase();
    if (!event) throw new ControlError(400, 'event is required.');
    return templateStatus(context, account, template, event, input);
  },
  template_category: (context, input) => {
    const { account, template } = templateFor(context, input);
    const category = textOf(input['new_category'] ?? input['category'])?.toUpperCase();
    const correct = textOf(input['correct_category'])?.toUpperCase();
    if (!category && !correct) throw new ControlError(400, 'new_category or correct_category is required.');
    const previous = template.category;
    const value: JsonObject = { ...templateKeys(template) };
    if (category) {
      Object.assign(template, { category, previous_category: previous });
      Object.assign(value, { previous_category: previous, new_category: category });
    } else {
      // Advance notice: the category itself changes later.
      template.correct_category = correct;
      Object.assign(value, { new_category: previous, correct_category: correct });
    }
    return send(context, account, 'template_category_update', value);
  },
  template_components: (context, input) => {
    const { account, template } = templateFor(context, input);
    if (Array.isArray(input['components'])) template.components = objectsOf(input['components']);
    const value: JsonObject = { ...templateKeys(template), message_template_element: bodyTextOf(template) };
    const header = textOf(componentOf(template, 'HEADER')?.['text']);
    const footer = textOf(componentOf(template, 'FOOTER')?.['text']);
    if (header) value['message_template_title'] = header;
    if (footer) value['message_template_footer'] = footer;
    const buttons = buttonsOf(template);
    if (buttons.length > 0) {
      value['message_template_buttons'] = buttons.map((button) => ({
        message_template_button_type: button['type'],
        message_template_button_text: button['text'],
      }));
    }
    return send(context, account, 'message_template_components_update', value);
  },
  template_quality: (context, input) => {
    const { account, template } = templateFor(context, input);
    const previous = template.quality_score;
    template.quality_score = textOf(input['new_quality_score'] ?? input['score'])?.toUpperCase() ?? 'GREEN';
    return send(context, account, 'message_template_quality_update', {
      previous_quality_score: previous,
      new_quality_score: template.quality_score,
      ...templateKeys(template),
    });
  },
  user_preferences: (context, input) => {
    const account = accountFor(context, input);
    const phone = phoneFor(context, input, account);
    const user = selectUser(context, account, input, true);
    const value = textOf(input['value']) ?? 'stop';
    if (!['stop', 'resume', 'signup'].includes(value))
      throw new ControlError(400, 'value must be stop, resume or signup.');
    user.opted_out = value === 'stop';
    const item: JsonObject = {};
    if (user.phone && !user.hidden) item['wa_id'] = user.phone;
    Object.assign(item, {
      user_id: user.user_id,
      detail:
        input['detail'] ??
        (value === 'stop'
          ? 'User requested to stop marketing messages'
          : 'User requested to resume marketing messages'),
      category: 'marketing_messages',
      value,
      timestamp: unixSeconds(context.clock()),
    });
    if (value === 'signup') item['signup_id'] = input['signup_id'] ?? '1';
    return send(context, account, 'user_preferences', {
      messaging_product: 'whatsapp',
      metadata: metadataOf(phone),
      contacts: [contactOf(user, true)],
      user_preferences: [item],
    });
  },
  system: playSystem,
  username: (context, input) => {
    // Upstream has no webhook for it: the new name shows in the next message or status.
    const account = accountFor(context, input);
    const { username: _name, ...selector } = isObject(input['user']) ? input['user'] : {};
    const user = selectUser(context, account, isObject(input['user']) ? { user: selector } : input, true);
    applyUser(context, user, {
      username: input['username'] ?? null,
      ...(typeof input['hidden'] === 'boolean' ? { hidden: input['hidden'] } : {}),
    });
    return { user, sent: false };
  },
  hidden: (context, input) => {
    const user = selectUser(context, accountFor(context, input), input, true);
    user.hidden = input['hidden'] !== false;
    return { user, sent: false };
  },
  business_username: (context, input) => {
    const phone = phoneFor(context, input);
    const status = textOf(input['status']) ?? 'approved';
    phone.username = status === 'deleted' ? undefined : textOf(input['username']);
    phone.username_status = status === 'deleted' ? undefined : status;
    const value: JsonObject = { display_phone_number: digitsOf(phone.display_phone_number) };
    if (phone.username) value['username'] = phone.username;
    return send(context, context.state.accountOf(phone), 'business_username_update', { ...value, status });
  },
  flow_status: (context, input) => {
    const { account, flow } = flowFor(context, input);
    const event = textOf(input['event']) ?? 'FLOW_STATUS_CHANGE';
    const { kind: _kind, business_account_id: _account, phone_number_id: _phone, user: _user, ...rest } = input;
    if (event !== 'FLOW_STATUS_CHANGE') return send(context, account, 'flows', { ...rest, event, flow_id: flow.id });
    const previous = flow.status;
    flow.status = (textOf(input['new_status'] ?? input['status']) ?? 'PUBLISHED').toUpperCase();
    flow.updated_at = context.clock();
    const message = textOf(input['message']) ?? `Flow ${flow.name} changed status from ${previous} to ${flow.status}`;
    return send(context, account, 'flows', {
      event,
      message,
      flow_id: flow.id,
      old_status: previous,
      new_status: flow.status,
    });
  },
  ...accountHandlers,
  ...elsewhereHandlers,
  status: (context, input) => {
    const record = context.state.messages.get(textOf(input['wamid']) ?? '');
    if (!record || record.direction !== 'out') throw new ControlError(404, 'No accepted message with this wamid.');
    const user = context.state.userByKey(record.business_account_id, record.user_key);
    if (!user) throw new ControlError(404, 'The user is gone.');
    const status = textOf(input['status']) ?? 'delivered';
    const at = typeof input['at'] === 'number' ? input['at'] : context.clock();
    const code = status === 'failed' ? Number(input['code'] ?? 131000) : undefined;
    emitStatus(
      context,
      record,
      user,
      { status, code, details: textOf(input['details']) },
      at,
      isObject(input['extra']) ? input['extra'] : undefined,
    );
    return { wamid: record.wamid, status };
  },
  raw: async (context, input) => {
    const account = accountFor(context, input);
    if (typeof input['raw_body'] === 'string')
      return context.webhooks.postRaw(account, input['raw_body'], textOf(input['signature']));
    const field = textOf(input['field']);
    if (!field) throw new ControlError(400, 'field and value, or raw_body, are required.');
    const value = isObject(input['value']) ? input['value'] : {};
    const time =
      input['time'] === null
        ? undefined
        : typeof input['time'] === 'number'
          ? input['time']
          : unixSeconds(context.clock());
    context.webhooks.enqueue(account, { field, value, time });
    return { field, value };
  },
};

function playSystem(context: Context, input: JsonObject): JsonObject {
  const account = accountFor(context, input);
  const phone = phoneFor(context, input, account);
  const user = selectUser(context, account, input, true);
  const type = textOf(input['type']) ?? 'user_changed_number';
  const body = textOf(input['body']);
  if (type === 'user_changed_number' || type === 'customer_changed_number') {
    const target = textOf(input['phone'] ?? input['new_phone']);
    if (!target) throw new ControlError(400, 'phone (the new number) is required.');
    const before = changeNumber(context, user, target, textOf(input['user_id'] ?? input['new_user_id']));
    const system = {
      type,
      body:
        body ??
        `User ${user.name} changed from ${user.hidden ? before.user_id : (before.phone ?? before.user_id)} to ` +
          `${user.hidden ? user.user_id : user.phone}`,
      ...(user.hidden ? {} : { wa_id: user.phone }),
      user_id: user.user_id,
      previous_user_id: before.user_id,
    };
    return {
      wamid: systemMessage(context, account, phone, user, user.hidden ? undefined : before.phone, system),
      user,
    };
  }
  if (type === 'user_changed_user_id') {
    const before = changeUserId(context, user, textOf(input['user_id'] ?? input['new_user_id']));
    const system = {
      type,
      body: body ?? `User ${user.name} has a new id`,
      user_id: user.user_id,
      previous_user_id: before.user_id,
    };
    return {
      wamid: systemMessage(context, account, phone, user, user.hidden ? undefined : before.phone, system),
      user,
    };
  }
  if (type === 'customer_identity_changed') {
    const system = { type, body: body ?? `${user.name}'s security code changed`, user_id: user.user_id };
    const identity = {
      acknowledged: false,
      created_timestamp: String(unixSeconds(context.clock())),
      hash: Buffer.from(user.user_id).toString('base64').slice(0, 12),
    };
    return {
      wamid: systemMessage(context, account, phone, user, user.hidden ? undefined : user.phone, system, { identity }),
      user,
    };
  }
  throw new ControlError(
    400,
    'type must be user_changed_number, customer_changed_number, user_changed_user_id or customer_identity_changed.',
  );
}
