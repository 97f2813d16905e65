import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** Which team inboxes a calendar applies to. */
const columns = {
  team_inbox_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'CASCADE',
  }),
  calendar_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'calendars', key: 'id' },
    onDelete: 'CASCADE',
  }),
};

/** Binds the table `calendar_team_inboxes`. */
export const calendarTeamInboxTable = defineTable('CalendarTeamInbox', 'calendar_team_inboxes', columns);
