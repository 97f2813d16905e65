import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { RuleRunState, RuleStartEvent } from './ruleParts';
import { column, columnOf, defineTable, type RowOf } from './table';

/** One start of a rule on a conversation: a wait first, then what became of it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Null: the rule was deleted. */
  rule_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'rules', key: 'id' },
    onDelete: 'SET NULL',
  }),
  rule_version: column({ type: DataTypes.INTEGER, allowNull: false }),
  conversation_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'CASCADE',
  }),
  event: columnOf<RuleStartEvent>()({ type: DataTypes.STRING(32), allowNull: false }),
  /** Of a message that was written or answered with, or began a conversation; else of the entry of the activity. */
  event_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  /** The customer's message by which it started, for what conditions ask of it. */
  message_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  state: columnOf<RuleRunState>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'waiting' }),
  /** Of a skipped run one of `skipReasons`, of an ended one the event, of a failed one a code. */
  reason: column({ type: DataTypes.STRING(64), allowNull: true }),
  started_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  moment: column({ type: DataTypes.DATE(3), allowNull: false }),
  /** When it is judged next; null while nothing but an event can change what would be said. */
  look_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** A member has chosen its moment: hours and windows move it no more. */
  by_hand: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  ended_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  macro_run_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macro_runs', key: 'id' },
    onDelete: 'SET NULL',
  }),
  /** The rules whose runs caused this one, the first first. */
  chain: column({ type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] }),
};

/** Columns of a row of `rule_runs`. */
export type RuleRunRow = RowOf<typeof columns>;

/** Binds the table `rule_runs`. */
export const ruleRunTable = defineTable('RuleRun', 'rule_runs', columns);
