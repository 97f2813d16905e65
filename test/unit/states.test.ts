import { endedStatuses, isOneOfSql, reopeningStatuses } from '../../api/core/conversationStates';
import { messageStatuses, statusRank, statusRankSql } from '../../api/services/resources/messages/rows/status';

describe('the states of a message', () => {
  it('only go up, and a message that arrived did not fail', () => {
    const order = [...messageStatuses].sort((left, right) => statusRank[left] - statusRank[right]);
    expect(order).toEqual(['received', 'queued', 'unknown', 'sent', 'failed', 'delivered', 'read', 'played']);
    expect(new Set(Object.values(statusRank)).size).toBe(messageStatuses.length);
  });

  it('have the same order in SQL, and what is no state stands below all of them', () => {
    const sql = statusRankSql('m.message_status');
    expect(sql.startsWith('CASE m.message_status WHEN ')).toBe(true);
    for (const status of messageStatuses) expect(sql).toContain(`WHEN '${status}' THEN ${statusRank[status]} `);
    expect(sql.endsWith(' ELSE 0 END')).toBe(true);
    expect(Math.min(...Object.values(statusRank))).toBe(0);
  });
});

describe('the states of a conversation', () => {
  it('that a message of the customer opens again: all but open and snoozed', () => {
    expect([...reopeningStatuses].sort()).toEqual(['converted', 'pending', 'resolved', 'spam']);
  });

  it('in which it is done with', () => {
    expect([...endedStatuses].sort()).toEqual(['converted', 'resolved', 'spam']);
    expect(isOneOfSql('v.conv_status', endedStatuses)).toBe("v.conv_status IN ('resolved', 'converted', 'spam')");
  });
});
