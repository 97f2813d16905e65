import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** Hits of a rate limit window by its key. */
interface RateLimitModel extends Model<InferAttributes<RateLimitModel>, InferCreationAttributes<RateLimitModel>> {
  key: string;
  hits: number;
  resets_at: Date;
}

/** Binds the table `rate_limits`. */
export const rateLimitTable = defineTable<RateLimitModel>('RateLimit', 'rate_limits', {
  key: { type: DataTypes.STRING(160), allowNull: false, primaryKey: true },
  hits: { type: DataTypes.INTEGER, allowNull: false },
  resets_at: { type: DataTypes.DATE(3), allowNull: false },
});
