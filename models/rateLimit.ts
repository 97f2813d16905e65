import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** Hits of a rate limit window by its key. */
const columns = {
  key: column({ type: DataTypes.STRING(160), allowNull: false, primaryKey: true }),
  hits: column({ type: DataTypes.INTEGER, allowNull: false }),
  resets_at: column({ type: DataTypes.DATE(3), allowNull: false }),
};

/** Binds the table `rate_limits`. */
export const rateLimitTable = defineTable('RateLimit', 'rate_limits', columns);
