import type { Operation } from './core/operations';
import { apiKeyOperations } from './services/apiKeys/operations';
import { approvalOperations } from './services/approvals/operations';
import { auditOperations } from './services/audit/operations';
import { catalogueOperations } from './services/catalogue/operations';
import { contactImportOperations } from './services/contactImport/operations';
import { broadcastOperations } from './services/broadcasts/operations';
import { contactOperations } from './services/contacts/operations';
import { conversationOperations } from './services/conversations/operations';
import { customFieldOperations } from './services/customFields/operations';
import { flowOperations } from './services/flows/operations';
import { inboxOperations } from './services/inboxes/operations';
import { macroRunOperations } from './services/macroRuns/operations';
import { macroOperations } from './services/macros/operations';
import { memberOperations } from './services/members/operations';
import { sessionOperations } from './services/members/sessionOperations';
import { messageOperations } from './services/messages/operations';
import { connectedAgentOperations } from './services/oauth/operations';
import { memberManagementOperations } from './services/passwords/memberOperations';
import { passwordOperations } from './services/passwords/operations';
import { phoneNumberOperations } from './services/phoneNumbers/operations';
import { pipelineOperations } from './services/pipelines/operations';
import { slaOperations } from './services/sla/operations';
import { templateOperations } from './services/templates/operations';
import { ticketOperations } from './services/tickets/operations';
import { workspaceOperations } from './services/workspaces/operations';

/** Every operation of the service: REST routes, OpenAPI and the agent tools follow from these rows. */
export const operations: readonly Operation[] = [
  ...contactOperations,
  ...contactImportOperations,
  ...conversationOperations,
  ...customFieldOperations,
  ...messageOperations,
  ...phoneNumberOperations,
  ...templateOperations,
  ...flowOperations,
  ...catalogueOperations,
  ...broadcastOperations,
  ...memberOperations,
  ...workspaceOperations,
  ...memberManagementOperations,
  ...apiKeyOperations,
  ...sessionOperations,
  ...passwordOperations,
  ...inboxOperations,
  ...approvalOperations,
  ...auditOperations,
  ...connectedAgentOperations,
  ...ticketOperations,
  ...pipelineOperations,
  ...slaOperations,
  ...macroOperations,
  ...macroRunOperations,
];
