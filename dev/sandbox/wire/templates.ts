import type { Context } from '../context';
import { GraphError } from './errors';
import { templateStatus } from '../play/events';
import { page, parseFields, pick } from './nodes';
import { checkComponents, readBackComponents } from './templateRules';
import type { Account, JsonObject, Reply, Template } from '../types';
import { isObject, objectsOf, stableId, textOf } from '../util';

const nodeType = 'WhatsAppMessageTemplate';
const defaultFields = ['name', 'parameter_format', 'components', 'language', 'status', 'category', 'id'];
const categories = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
const editableStatuses = ['APPROVED', 'REJECTED', 'PAUSED'];

function node(template: Template): JsonObject {
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    components: template.components,
    parameter_format: template.parameter_format,
    rejected_reason: template.rejected_reason,
    quality_score: { score: template.quality_score },
    previous_category: template.previous_category,
    correct_category: template.correct_category,
    sub_category: undefined,
    library_template_name: undefined,
    message_send_ttl_seconds: undefined,
    cta_url_link_tracking_opted_out: undefined,
    specific_rejection_reason: undefined,
  };
}

export function listTemplates(account: Account, query: URLSearchParams, url: string): Reply {
  const fields = parseFields(query.get('fields'));
  const wanted = (template: Template): boolean => {
    for (const key of ['status', 'category', 'language'] as const) {
      const value = query.get(key);
      if (value && !valuesOf(value).includes(template[key])) return false;
    }
    const name = query.get('name');
    if (name && template.name !== name) return false;
    const search = query.get('name_or_content');
    return !search || JSON.stringify([template.name, template.components]).toLowerCase().includes(search.toLowerCase());
  };
  const nodes = account.templates.filter(wanted).map(node);
  return page(nodes, query, url, (item) => pick(item, fields, defaultFields, nodeType));
}

/** Reads `APPROVED`, `APPROVED,PAUSED` or `["APPROVED"]`. */
function valuesOf(text: string): string[] {
  return text.replace(/[[\]"'\s]/g, '').split(',');
}

export function getTemplate(template: Template, query: URLSearchParams): Reply {
  return { status: 200, body: pick(node(template), parseFields(query.get('fields')), defaultFields, nodeType) };
}

export function createTemplate(context: Context, account: Account, input: unknown): Reply {
  if (!isObject(input)) throw new GraphError(100, 'The request body must be a JSON object.');
  const name = textOf(input['name']);
  const language = textOf(input['language']);
  const category = textOf(input['category'])?.toUpperCase();
  if (!name || !/^[a-z0-9_]{1,512}$/.test(name))
    throw new GraphError(100, 'Param name must be lower-case letters, digits and underscores, at most 512.');
  if (!language || !/^[a-z]{2,3}(_[A-Z]{2,4})?$/.test(language))
    throw new GraphError(100, 'Param language is not a valid language code.');
  if (!category || !categories.includes(category))
    throw new GraphError(100, `Param category must be one of {${categories.join(', ')}}.`);
  if (context.state.templateByName(account, name, language)) {
    throw new GraphError(100, 'Invalid parameter', {
      subcode: 2388024,
      userTitle: 'Content in this language already exists',
      userMessage:
        `There is already ${language} content for this template. ` + 'You can create a new template and try again.',
    });
  }
  const format = textOf(input['parameter_format'])?.toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL';
  const components = objectsOf(input['components']);
  checkComponents(components, category, format);
  const template: Template = {
    id: stableId('template', account.business_account_id, name, language, String(context.state.nextSeq)),
    name,
    language,
    category,
    status: 'PENDING',
    parameter_format: format,
    components: readBackComponents(components, category),
    rejected_reason: 'NONE',
    quality_score: 'UNKNOWN',
  };
  context.state.nextSeq += 1;
  account.templates.push(template);
  context.state.index(account);
  review(context, account, template);
  context.changed();
  return { status: 200, body: { id: template.id, status: 'PENDING', category } };
}

export function editTemplate(context: Context, account: Account, template: Template, input: unknown): Reply {
  if (!isObject(input)) throw new GraphError(100, 'The request body must be a JSON object.');
  if (!editableStatuses.includes(template.status))
    throw new GraphError(100, `Templates with status ${template.status} cannot be edited.`, { subcode: 2388039 });
  const category = textOf(input['category'])?.toUpperCase();
  if (category && !categories.includes(category))
    throw new GraphError(100, `Param category must be one of {${categories.join(', ')}}.`);
  if (category && category !== template.category && template.status === 'APPROVED') {
    throw new GraphError(100, 'The category of an approved template cannot be changed.', { subcode: 2388040 });
  }
  if (category) template.category = category;
  if (input['components'] !== undefined) {
    const components = objectsOf(input['components']);
    checkComponents(components, template.category, template.parameter_format);
    template.components = readBackComponents(components, template.category);
  }
  template.status = 'PENDING';
  template.rejected_reason = 'NONE';
  review(context, account, template);
  context.changed();
  return { status: 200, body: { success: true } };
}

/** Deletes every language of `?name=`, or with `&hsm_id=` only that one. */
export function deleteTemplates(context: Context, account: Account, query: URLSearchParams): Reply {
  const name = query.get('name');
  const id = query.get('hsm_id');
  if (!name) throw new GraphError(100, 'The parameter name is required.');
  const found = account.templates.filter((template) => template.name === name && (!id || template.id === id));
  if (found.length === 0) throw new GraphError(100, 'Message template was not found.', { subcode: 2593002 });
  for (const template of found) templateStatus(context, account, template, 'DELETED');
  context.changed();
  return { status: 200, body: { success: true } };
}

/** Starts the scripted review of the settings; `manual` waits for an event of the control API. */
function review(context: Context, account: Account, template: Template): void {
  const { template_review: mode, status_delay_ms: delay } = context.state.settings;
  if (mode === 'manual') return;
  context.scheduler.after(delay, () => {
    if (template.status === 'PENDING')
      templateStatus(context, account, template, mode === 'approve' ? 'APPROVED' : 'REJECTED');
    context.changed();
  });
}
