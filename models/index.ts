import type { Sequelize } from 'sequelize';
import { activityEventTable } from './activityEvent';
import { associate } from './associations';
import { approvalTable } from './approval';
import { auditEntryTable } from './auditEntry';
import { savedViewTable } from './savedView';
import { securityEntryTable } from './securityEntry';
import { deliveryFenceTable } from './deliveryFence';
import { deliveryHoldTable } from './deliveryHold';
import { installationTable } from './installation';
import { intakeClockTable } from './intakeClock';
import { presenceTable } from './presence';
import { rateLimitTable } from './rateLimit';
import { reportDayTable } from './reportDay';
import { busyDayTable } from './busyDay';
import { apiKeyTable } from './apiKey';
import { broadcastTable } from './broadcast';
import { broadcastNumberTable } from './broadcastNumber';
import { broadcastRecipientTable } from './broadcastRecipient';
import { businessAccountTable } from './businessAccount';
import { calendarTable } from './calendar';
import { calendarTeamInboxTable } from './calendarTeamInbox';
import { cannedReplyTable } from './cannedReply';
import { catalogueProductTable } from './catalogueProduct';
import { contactTable } from './contact';
import { contactAliasTable } from './contactAlias';
import { conversationTable } from './conversation';
import { conversationEpisodeTable } from './conversationEpisode';
import { conversationNoteTable } from './conversationNote';
import { conversationWindowTable } from './conversationWindow';
import { customFieldTable } from './customField';
import { factorTable } from './factor';
import { factorChallengeTable } from './factorChallenge';
import { fileUploadTable } from './fileUpload';
import { flowTable } from './flow';
import { flowReadTable } from './flowRead';
import { flowSubmissionTable } from './flowSubmission';
import { idempotencyKeyTable } from './idempotencyKey';
import { identityMoveTable } from './identityMove';
import { inboxEventTable } from './inboxEvent';
import { leftHistoryTable } from './leftHistory';
import { macroTable } from './macro';
import { macroRunTable } from './macroRun';
import { mailTable } from './mail';
import { memberTable } from './member';
import { noticeTable } from './notice';
import { pushSubscriptionTable } from './pushSubscription';
import { memberLinkTable } from './memberLink';
import { messageTable } from './message';
import { messageRateTable } from './messageRate';
import { messageUsageTable } from './messageUsage';
import { oauthAccessTokenTable } from './oauthAccessToken';
import { oauthClientTable } from './oauthClient';
import { oauthCodeTable } from './oauthCode';
import { oauthFamilyTable } from './oauthFamily';
import { oauthGrantTable } from './oauthGrant';
import { oauthRefreshTokenTable } from './oauthRefreshToken';
import { oauthRequestTable } from './oauthRequest';
import { messageGroupTable } from './messageGroup';
import { optOutMarkTable } from './optOutMark';
import { outboxEntryTable } from './outboxEntry';
import { parkedStatusTable } from './parkedStatus';
import { phoneNumberTable } from './phoneNumber';
import { removedFileTable } from './removedFile';
import { ruleTable } from './rule';
import { ruleRunTable } from './ruleRun';
import { sendSlotTable } from './sendSlot';
import { sessionTable } from './session';
import { slaPolicyTable } from './slaPolicy';
import { ssoProviderTable } from './ssoProvider';
import { storedFileTable } from './storedFile';
import { teamInboxTable } from './teamInbox';
import { teamInboxMemberTable } from './teamInboxMember';
import { templateTable } from './template';
import { ticketTable } from './ticket';
import { ticketCommentTable } from './ticketComment';
import { ticketContactTable } from './ticketContact';
import { ticketPipelineTable } from './ticketPipeline';
import { ticketStageTable } from './ticketStage';
import { ticketStageMoveTable } from './ticketStageMove';
import { ticketStageMoveRecipientTable } from './ticketStageMoveRecipient';
import { ticketWatcherTable } from './ticketWatcher';
import { webhookDeliveryTable } from './webhookDelivery';
import { webhookEventTable } from './webhookEvent';
import { webhookSequenceTable } from './webhookSequence';
import { webhookSubscriptionTable } from './webhookSubscription';
import { workspaceTable } from './workspace';

/** Binds every table to one connection; nothing is bound at import, so one process may hold several. */
export function initModels(sequelize: Sequelize) {
  const models = {
    ActivityEvent: activityEventTable(sequelize),
    ApiKey: apiKeyTable(sequelize),
    Presence: presenceTable(sequelize),
    RateLimit: rateLimitTable(sequelize),
    Installation: installationTable(sequelize),
    IntakeClock: intakeClockTable(sequelize),
    DeliveryFence: deliveryFenceTable(sequelize),
    DeliveryHold: deliveryHoldTable(sequelize),
    AuditEntry: auditEntryTable(sequelize),
    SavedView: savedViewTable(sequelize),
    SecurityEntry: securityEntryTable(sequelize),
    Approval: approvalTable(sequelize),
    Broadcast: broadcastTable(sequelize),
    BroadcastNumber: broadcastNumberTable(sequelize),
    BroadcastRecipient: broadcastRecipientTable(sequelize),
    BusinessAccount: businessAccountTable(sequelize),
    BusyDay: busyDayTable(sequelize),
    Calendar: calendarTable(sequelize),
    CalendarTeamInbox: calendarTeamInboxTable(sequelize),
    CannedReply: cannedReplyTable(sequelize),
    CatalogueProduct: catalogueProductTable(sequelize),
    Contact: contactTable(sequelize),
    ContactAlias: contactAliasTable(sequelize),
    Conversation: conversationTable(sequelize),
    ConversationEpisode: conversationEpisodeTable(sequelize),
    ConversationNote: conversationNoteTable(sequelize),
    ConversationWindow: conversationWindowTable(sequelize),
    CustomField: customFieldTable(sequelize),
    FileUpload: fileUploadTable(sequelize),
    Flow: flowTable(sequelize),
    FlowRead: flowReadTable(sequelize),
    FlowSubmission: flowSubmissionTable(sequelize),
    IdempotencyKey: idempotencyKeyTable(sequelize),
    IdentityMove: identityMoveTable(sequelize),
    InboxEvent: inboxEventTable(sequelize),
    LeftHistory: leftHistoryTable(sequelize),
    Macro: macroTable(sequelize),
    MacroRun: macroRunTable(sequelize),
    Factor: factorTable(sequelize),
    FactorChallenge: factorChallengeTable(sequelize),
    Mail: mailTable(sequelize),
    Member: memberTable(sequelize),
    MemberLink: memberLinkTable(sequelize),
    Message: messageTable(sequelize),
    Notice: noticeTable(sequelize),
    PushSubscription: pushSubscriptionTable(sequelize),
    OauthAccessToken: oauthAccessTokenTable(sequelize),
    OauthClient: oauthClientTable(sequelize),
    OauthCode: oauthCodeTable(sequelize),
    OauthFamily: oauthFamilyTable(sequelize),
    OauthGrant: oauthGrantTable(sequelize),
    OauthRefreshToken: oauthRefreshTokenTable(sequelize),
    OauthRequest: oauthRequestTable(sequelize),
    MessageRate: messageRateTable(sequelize),
    MessageUsage: messageUsageTable(sequelize),
    MessageGroup: messageGroupTable(sequelize),
    OptOutMark: optOutMarkTable(sequelize),
    OutboxEntry: outboxEntryTable(sequelize),
    ParkedStatus: parkedStatusTable(sequelize),
    PhoneNumber: phoneNumberTable(sequelize),
    RemovedFile: removedFileTable(sequelize),
    ReportDay: reportDayTable(sequelize),
    Rule: ruleTable(sequelize),
    RuleRun: ruleRunTable(sequelize),
    SendSlot: sendSlotTable(sequelize),
    Session: sessionTable(sequelize),
    SlaPolicy: slaPolicyTable(sequelize),
    SsoProvider: ssoProviderTable(sequelize),
    StoredFile: storedFileTable(sequelize),
    TeamInbox: teamInboxTable(sequelize),
    TeamInboxMember: teamInboxMemberTable(sequelize),
    Template: templateTable(sequelize),
    Ticket: ticketTable(sequelize),
    TicketComment: ticketCommentTable(sequelize),
    TicketContact: ticketContactTable(sequelize),
    TicketPipeline: ticketPipelineTable(sequelize),
    TicketStage: ticketStageTable(sequelize),
    TicketStageMove: ticketStageMoveTable(sequelize),
    TicketStageMoveRecipient: ticketStageMoveRecipientTable(sequelize),
    TicketWatcher: ticketWatcherTable(sequelize),
    WebhookDelivery: webhookDeliveryTable(sequelize),
    WebhookEvent: webhookEventTable(sequelize),
    WebhookSequence: webhookSequenceTable(sequelize),
    WebhookSubscription: webhookSubscriptionTable(sequelize),
    Workspace: workspaceTable(sequelize),
  };
  associate(models);
  return models;
}

/** All tables of one connection. */
export type Models = ReturnType<typeof initModels>;

export type { ActivityEventRow } from './activityEvent';
export type { ApiKeyRow } from './apiKey';
export type { ApprovalRow } from './approval';
export type { AuditEntryRow } from './auditEntry';
export type { BroadcastRow } from './broadcast';
export type { BusinessAccountRow } from './businessAccount';
export type { CalendarRow, WorkingPeriod } from './calendar';
export type { CannedReplyRow } from './cannedReply';
export type { CatalogueProductRow } from './catalogueProduct';
export type { ContactRow } from './contact';
export type { ConversationRow } from './conversation';
export type { DeliveryHoldRow } from './deliveryHold';
export type { CustomFieldRow } from './customField';
export type { FlowRow } from './flow';
export type { FlowReadRow } from './flowRead';
export type { FlowSubmissionRow } from './flowSubmission';
export type { IdentityMoveRow } from './identityMove';
export type { MacroRow } from './macro';
export type { MacroRunRow } from './macroRun';
export type { FactorRow, StoredPasskey } from './factor';
export type { MemberRow } from './member';
export type { MailRow } from './mail';
export type { MessageRow } from './message';
export type { OauthClientRow } from './oauthClient';
export type { PhoneNumberRow } from './phoneNumber';
export type { PushSubscriptionRow } from './pushSubscription';
export type { RuleRow } from './rule';
export type { RuleRunRow } from './ruleRun';
export type { SavedViewRow } from './savedView';
export type { SlaPolicyRow } from './slaPolicy';
export type { SsoProviderRow } from './ssoProvider';
export type { StoredFileRow } from './storedFile';
export type { TeamInboxRow } from './teamInbox';
export type { TemplateRow } from './template';
export type { TicketRow } from './ticket';
export type { TicketPipelineRow } from './ticketPipeline';
export type { TicketStageRow } from './ticketStage';
export type { WebhookEventRow } from './webhookEvent';
export type { WebhookSubscriptionRow } from './webhookSubscription';
export type { WorkspaceRow } from './workspace';
