import type { Model, ModelStatic } from 'sequelize';

type Tables<Name extends string> = Readonly<Record<Name, ModelStatic<Model>>>;

/**
 * Tells models of one another: the names are what `include` asks for. Foreign keys themselves are the columns' and
 * the migrations'. What is included is limited to the workspace of the query by itself (`models/table.ts`).
 */
export function associate(
  tables: Tables<
    | 'Approval'
    | 'BusinessAccount'
    | 'Calendar'
    | 'CalendarTeamInbox'
    | 'Contact'
    | 'ConversationNote'
    | 'MacroRun'
    | 'Member'
    | 'Message'
    | 'PhoneNumber'
    | 'Presence'
    | 'TeamInbox'
    | 'TeamInboxMember'
    | 'Template'
    | 'Ticket'
    | 'TicketComment'
    | 'TicketPipeline'
    | 'TicketStage'
    | 'WebhookDelivery'
    | 'WebhookEvent'
    | 'Workspace'
  >,
): void {
  const { Approval, BusinessAccount, MacroRun, Member, Message, PhoneNumber, TeamInbox, TeamInboxMember, Template } =
    tables;
  const { Calendar, CalendarTeamInbox, Contact, ConversationNote, Presence } = tables;
  const { Ticket, Workspace, TicketComment, TicketPipeline, TicketStage, WebhookDelivery, WebhookEvent } = tables;
  const belongs = (from: ModelStatic<Model>, as: string, to: ModelStatic<Model>, foreignKey: string): void => {
    from.belongsTo(to, { as, foreignKey, constraints: false });
  };
  const many = (from: ModelStatic<Model>, as: string, to: ModelStatic<Model>, foreignKey: string): void => {
    from.hasMany(to, { as, foreignKey, constraints: false });
  };

  many(TicketPipeline, 'stages', TicketStage, 'pipeline_id');
  belongs(TicketStage, 'pipeline', TicketPipeline, 'pipeline_id');
  belongs(TicketStage, 'notify_template', Template, 'notify_template_pk');
  belongs(TicketComment, 'author', Member, 'author_id');
  belongs(Template, 'account', BusinessAccount, 'business_account_id');
  belongs(PhoneNumber, 'account', BusinessAccount, 'business_account_id');
  many(TeamInbox, 'seats', TeamInboxMember, 'team_inbox_id');
  many(Calendar, 'team_inboxes', CalendarTeamInbox, 'calendar_id');
  belongs(Approval, 'requester', Member, 'member_id');
  belongs(Approval, 'decider', Member, 'decided_by');
  belongs(MacroRun, 'runner', Member, 'actor_member_id');
  belongs(WebhookDelivery, 'event', WebhookEvent, 'event_id');
  belongs(Message, 'phone_number', PhoneNumber, 'phone_number_id');
  belongs(Message, 'template', Template, 'template_pk');
  // A conversation has the id of its contact.
  belongs(ConversationNote, 'contact', Contact, 'conversation_id');
  belongs(ConversationNote, 'author', Member, 'author_id');
  belongs(Presence, 'contact', Contact, 'conversation_id');
  belongs(Presence, 'member', Member, 'member_id');
  belongs(Ticket, 'workspace', Workspace, 'workspace_id');
  belongs(Ticket, 'assigned_to', Member, 'assigned_to_id');
}
