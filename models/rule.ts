import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type {
  RuleAttention,
  RuleConditions,
  RuleRepeat,
  RuleStart,
  RuleState,
  RuleUnless,
  RuleWait,
} from './ruleParts';
import { column, columnOf, defineTable, type RowOf } from './table';

/** When this happens, if that holds, after so long, unless something comes between: run this macro. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  description: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  state: columnOf<RuleState>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'off' }),
  /** `on` of its record, which is a word of SQL. */
  starts: columnOf<RuleStart[]>()({ type: DataTypes.JSONB, allowNull: false }),
  conditions: columnOf<RuleConditions>()({ type: DataTypes.JSONB, allowNull: false }),
  wait: columnOf<RuleWait>()({ type: DataTypes.JSONB, allowNull: true }),
  unless: columnOf<RuleUnless[]>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  repeat: columnOf<RuleRepeat>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'each' }),
  after_rules: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  /** Null: it was deleted, which has paused the rule. */
  macro_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macros', key: 'id' },
    onDelete: 'SET NULL',
  }),
  autonomy: columnOf<'draft' | 'approval' | 'autonomous'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'autonomous',
  }),
  /** Whose rights it acts with: who last saved more than its name, description or pause. */
  runs_as_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  /** Raised by a change that ends its waits. */
  version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 }),
  /** Since when it is on or paused; null while off. It looks at nothing that was before. */
  active_since: column({ type: DataTypes.DATE(3), allowNull: true }),
  attention: columnOf<RuleAttention>()({ type: DataTypes.JSONB, allowNull: true }),
  created_by_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `rules`. */
export type RuleRow = RowOf<typeof columns>;

/** Binds the table `rules`. */
export const ruleTable = defineTable('Rule', 'rules', columns);
