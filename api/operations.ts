import type { Operation } from './core/http/operations';
import { accountOperations } from './services/resources/accounts/operations';
import { apiKeyOperations } from './services/identity/apiKeys/operations';
import { approvalOperations } from './services/processes/approvals/operations';
import { assignmentOperations } from './services/resources/inboxes/assignment/operations';
import { auditOperations } from './services/identity/audit/operations';
import { recorded } from './services/identity/securityLog/service';
import { bulkChangeOperations } from './services/processes/bulkChanges/operations';
import { calendarOperations } from './services/resources/calendars/operations';
import { cannedReplyOperations } from './services/resources/cannedReplies/operations';
import { catalogueOperations } from './services/resources/catalogue/operations';
import { contactImportOperations } from './services/resources/contacts/import/operations';
import { broadcastOperations } from './services/resources/broadcasts/operations';
import { contactMergeOperations } from './services/processes/contactMerge/operations';
import { contactOperations } from './services/resources/contacts/operations';
import { conversationOperations } from './services/resources/conversations/operations';
import { customFieldOperations } from './services/resources/customFields/operations';
import { fileOperations } from './services/resources/files/operations';
import { flowOperations } from './services/resources/flows/operations';
import { inboundOperations } from './services/processes/events/operations';
import { inboxOperations } from './services/resources/inboxes/operations';
import { macroRunOperations } from './services/processes/macroRuns/operations';
import { macroOperations } from './services/resources/macros/operations';
import { memberOperations } from './services/identity/members/operations';
import { factorOperations } from './services/identity/members/factorOperations';
import { ssoOperations } from './services/identity/sso/operations';
import { sessionOperations } from './services/identity/members/sessionOperations';
import { messageOperations } from './services/resources/messages/operations';
import { outboundOperations } from './services/processes/outbound/operations';
import { upcomingOperations } from './services/processes/upcoming/operations';
import { connectedAgentOperations } from './services/identity/oauth/operations';
import { memberManagementOperations } from './services/processes/credentials/memberOperations';
import { credentialOperations } from './services/processes/credentials/operations';
import { workspaceOperations } from './services/processes/workspaceSetup/operations';
import { threadControlOperations } from './services/processes/threadControl/operations';
import { noticeOperations } from './services/resources/notices/operations';
import { noteOperations } from './services/resources/notes/operations';
import { phoneNumberOperations } from './services/resources/phoneNumbers/operations';
import { pipelineOperations } from './services/resources/pipelines/operations';
import { presenceOperations } from './services/resources/presence/operations';
import { reportOperations } from './services/resources/reports/operations';
import { ruleOperations } from './services/processes/ruleSettings/operations';
import { ruleRehearsalOperations } from './services/processes/ruleRehearsal/operations';
import { savedViewOperations } from './services/resources/savedViews/operations';
import { slaOperations } from './services/resources/sla/operations';
import { templateOperations } from './services/resources/templates/operations';
import { ticketOperations } from './services/resources/tickets/operations';
import { usageOperations } from './services/resources/usage/operations';
import { webhookOperations } from './services/resources/webhooks/operations';
// What asks for nothing here: it reacts to changes.
import './services/processes/satisfaction/service';

const declared = [
  ...contactOperations,
  ...contactImportOperations,
  ...contactMergeOperations,
  ...conversationOperations,
  ...threadControlOperations,
  ...customFieldOperations,
  ...messageOperations,
  ...outboundOperations,
  ...upcomingOperations,
  ...fileOperations,
  ...phoneNumberOperations,
  ...accountOperations,
  ...templateOperations,
  ...flowOperations,
  ...catalogueOperations,
  ...broadcastOperations,
  ...usageOperations,
  ...reportOperations,
  ...memberOperations,
  ...workspaceOperations,
  ...inboundOperations,
  ...memberManagementOperations,
  ...apiKeyOperations,
  ...sessionOperations,
  ...factorOperations,
  ...ssoOperations,
  ...credentialOperations,
  ...inboxOperations,
  ...assignmentOperations,
  ...approvalOperations,
  ...auditOperations,
  ...connectedAgentOperations,
  ...ticketOperations,
  ...pipelineOperations,
  ...slaOperations,
  ...macroOperations,
  ...macroRunOperations,
  ...ruleOperations,
  ...ruleRehearsalOperations,
  ...webhookOperations,
  ...noteOperations,
  ...noticeOperations,
  ...presenceOperations,
  ...cannedReplyOperations,
  ...calendarOperations,
  ...savedViewOperations,
  ...bulkChangeOperations,
];

/** An operation as it is declared, with where it is and what it answers known to the compiler. */
export type Declared = (typeof declared)[number];

/** Every operation of the service: REST routes, OpenAPI and the agent tools follow from these rows. */
export const operations: readonly Operation[] = declared.map(recorded);
