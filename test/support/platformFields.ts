import type { TestCustomer } from '../factories/customers';
import type { TestWorkspace } from '../factories/workspaces';

type Json = Record<string, unknown>;
type Value = (workspace: TestWorkspace, customer: TestCustomer) => Json;

const template: Value = ({ account }) => ({
  event: 'APPROVED',
  reason: 'NONE',
  message_template_id: Number(`56${account.businessAccountId}0`),
  message_template_name: 'ticket_update',
  message_template_language: 'en_US',
  new_category: 'UTILITY',
  new_quality_score: 'GREEN',
});
const number: Value = () => ({ display_phone_number: '15550100100', event: 'UPGRADE', status: 'approved' });
const alert: Value = () => ({ event: 'ACCOUNT_VIOLATION' });
const text = (id: string): Json => ({ id, timestamp: '1', type: 'text', text: { body: 'Hi' } });

/**
 * All fields that the platform lists for a business account, with what it tells in each: one that acts, or `kept` for
 * one that this version does nothing with.
 */
export const platformFields: Readonly<Record<string, Value | 'kept'>> = {
  messages: (_workspace, { handle }) => ({ messages: [{ from: handle, ...text('wamid.f1') }] }),
  standby: (_workspace, { handle }) => ({ standby: { messages: [{ from: handle, ...text('wamid.f2') }] } }),
  smb_message_echoes: (_workspace, { handle }) => ({ message_echoes: [{ to: handle, ...text('wamid.f3') }] }),
  messaging_handovers: (_workspace, { handle }) => ({
    type: 'control_passed',
    sender: { phone_number: handle },
    control_passed: {},
  }),
  calls: (_workspace, { handle }) => ({ calls: [{ id: 'wacid.f', from: handle, event: 'terminate' }] }),
  history: (_workspace, { handle }) => ({
    history: [{ threads: [{ id: handle, messages: [{ from: handle, ...text('wamid.f4') }] }] }],
  }),
  smb_app_state_sync: (_workspace, { handle }) => ({
    state_sync: [{ type: 'contact', action: 'add', contact: { phone_number: handle, full_name: 'Anna' } }],
  }),
  user_preferences: (_workspace, { handle }) => ({
    user_preferences: [{ wa_id: handle, category: 'marketing_messages', value: 'stop', timestamp: 1 }],
  }),
  flows: () => ({ event: 'FLOW_STATUS_CHANGE', flow_id: '1', old_status: 'DRAFT', new_status: 'PUBLISHED' }),
  message_template_status_update: template,
  message_template_components_update: template,
  message_template_quality_update: template,
  template_category_update: template,
  business_username_update: number,
  phone_number_name_update: number,
  phone_number_quality_update: number,
  business_capability_update: number,
  account_update: alert,
  account_alerts: alert,
  account_review_update: alert,
  security: alert,
  account_settings_update: 'kept',
  automatic_events: 'kept',
  business_status_update: 'kept',
  group_lifecycle_update: 'kept',
  group_participants_update: 'kept',
  group_settings_update: 'kept',
  group_status_update: 'kept',
  message_echoes: 'kept',
  partner_solutions: 'kept',
  payment_configuration_update: 'kept',
  template_correct_category_detection: 'kept',
  tracking_events: 'kept',
};
