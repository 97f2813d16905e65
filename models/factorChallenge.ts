import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What a passkey of this session has to sign next; taken with the first try. */
const columns = {
  session_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'sessions', key: 'id' },
    onDelete: 'CASCADE',
  }),
  challenge: column({ type: DataTypes.STRING(128), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `factor_challenges`. */
export const factorChallengeTable = defineTable('FactorChallenge', 'factor_challenges', columns);
