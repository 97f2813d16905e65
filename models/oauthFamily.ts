import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One consent of a connection: the code and the tokens that came of it, which end together. */
interface OauthFamilyModel extends Model<InferAttributes<OauthFamilyModel>, InferCreationAttributes<OauthFamilyModel>> {
  id: CreationOptional<number>;
  grant_id: number;
  scopes: string[];
  created_at: CreationOptional<Date>;
  revoked_at: CreationOptional<Date | null>;
  revoked_reason: CreationOptional<string | null>;
}

/** Binds the table `oauth_families`. */
export const oauthFamilyTable = defineTable<OauthFamilyModel>('OauthFamily', 'oauth_families', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  grant_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_grants', key: 'id' },
    onDelete: 'CASCADE',
  },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_reason: { type: DataTypes.STRING(64), allowNull: true },
});
