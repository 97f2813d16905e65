import type { PageRoute } from '../page';
import { broadcastPages } from '../broadcasts/pages';
import { rulePages } from '../rules/pages';
import { agentPages } from '../team/agents';
import { apiKeyPages } from '../team/apiKeys';
import { approvalPages } from '../team/approvals';
import { auditPages } from '../team/auditLog';
import { factorPages } from '../team/factors';
import { flowPages } from '../team/flows';
import { calendarPages } from '../team/calendars';
import { macroRunPages } from '../team/macroRuns';
import { macroPages } from '../team/macros';
import { numberPages } from '../team/numbers';
import { templatePages } from '../team/templates';
import { memberPages } from '../team/members';
import { replyPages } from '../team/replies';
import { reportPages } from '../team/reports';
import { notificationPages } from '../team/notifications';
import { profilePages } from '../team/profile';
import { rescuePages } from '../team/rescue';
import { customFieldPages } from '../team/customFields';
import { slaPages } from '../team/slaPolicies';
import { teamInboxPages } from '../team/teamInboxes';
import { securityLogPages } from '../team/securityLog';
import { ssoPages } from '../team/sso';
import { settingsPages } from '../team/settings';
import { usagePages } from '../team/usage';
import { webhookPages } from '../team/webhooks';
import { workspacePages } from '../team/workspace';

/** Pages by which a workspace is run. */
export const teamPages: readonly PageRoute[] = [
  ...approvalPages,
  ...settingsPages,
  ...ssoPages,
  ...apiKeyPages,
  ...agentPages,
  ...auditPages,
  ...securityLogPages,
  ...memberPages,
  ...notificationPages,
  ...profilePages,
  ...rescuePages,
  ...factorPages,
  ...customFieldPages,
  ...calendarPages,
  ...numberPages,
  ...templatePages,
  ...slaPages,
  ...teamInboxPages,
  ...broadcastPages,
  ...macroPages,
  ...macroRunPages,
  ...rulePages,
  ...replyPages,
  ...reportPages,
  ...flowPages,
  ...webhookPages,
  ...workspacePages,
  ...usagePages,
];
