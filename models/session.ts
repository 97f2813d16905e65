import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A signed-in dashboard session; only the hash of its token is stored. */
export interface SessionRow {
  id: number;
  member_id: number;
  token_hash: Buffer;
  csrf_secret: string;
  created_at: Date;
  expires_at: Date;
}

/** Binds the table `sessions`. */
export const sessionTable = defineTable<SessionRow>('Session', 'sessions', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  member_id: { type: DataTypes.INTEGER },
  token_hash: { type: DataTypes.BLOB },
  csrf_secret: { type: DataTypes.STRING(64) },
  created_at: { type: DataTypes.DATE(3) },
  expires_at: { type: DataTypes.DATE(3) },
});
