import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A signed-in dashboard session; only the hash of its token is stored. */
interface SessionModel extends Model<InferAttributes<SessionModel>, InferCreationAttributes<SessionModel>> {
  id: CreationOptional<number>;
  member_id: number;
  token_hash: Buffer;
  csrf_secret: string;
  /** What the browser called itself when it signed in. */
  user_agent: CreationOptional<string>;
  /** The network that it signed in from. */
  address: CreationOptional<string>;
  created_at: CreationOptional<Date>;
  last_used_at: CreationOptional<Date>;
  expires_at: Date;
}

/** Binds the table `sessions`. */
export const sessionTable = defineTable<SessionModel>('Session', 'sessions', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  },
  token_hash: { type: DataTypes.BLOB, allowNull: false },
  csrf_secret: { type: DataTypes.STRING(64), allowNull: false },
  user_agent: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  address: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  last_used_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  expires_at: { type: DataTypes.DATE(3), allowNull: false },
});
