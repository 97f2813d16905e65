/** Every workflow that the worker's bundle offers; the names are the types under which they are started. */
export { approvalExpiry } from './approvalExpiry';
export { assignment } from './assignment';
export { broadcast } from './broadcast';
export { macroRun } from './macroRun';
export { messageDelivery } from './messageDelivery';
export { reconcile } from './reconcile';
export { ruleTimer } from './ruleTimer';
export { snoozeTimer } from './snoozeTimer';
export { slaTimer } from './slaTimer';
export { stageNotify } from './stageNotify';
export { webhookDelivery } from './webhookDelivery';
