import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { RuleBrake } from './ruleParts';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A tenant: everything below belongs to exactly one. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  timezone: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: 'UTC' }),
  /** Whose a phone number of a file or form may be that names no country. */
  country: column({ type: DataTypes.STRING(2), allowNull: true }),
  plan: column({ type: DataTypes.STRING(64), allowNull: true }),
  trial_ends_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  ticketing: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  /** Every member proves a second factor at sign-in. */
  require_factor: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  opt_out_words: column({
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
    defaultValue: ['STOP', 'UNSUBSCRIBE', 'OPTOUT', 'STOP PROMOTIONS'],
  }),
  opt_in_words: column({
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
    defaultValue: ['START', 'RESUBSCRIBE'],
  }),
  /** Customers are asked how satisfied they are, and by which buttons they answer, the best first. */
  ask_satisfaction: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  satisfaction_question: column({
    type: DataTypes.TEXT,
    allowNull: false,
    defaultValue: 'How satisfied are you with our help?',
  }),
  satisfaction_labels: column({
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
    defaultValue: ['Satisfied', 'Okay', 'Dissatisfied'],
  }),
  /** While there is one, no rule starts or acts. */
  rule_brake: columnOf<RuleBrake>()({ type: DataTypes.JSONB, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `workspaces`. */
export type WorkspaceRow = RowOf<typeof columns>;

/** Binds the table `workspaces`. */
export const workspaceTable = defineTable('Workspace', 'workspaces', columns);
