import { createAgent } from './agent';
import { count, type Place, type Write } from './storedRows';

/** What the controls of approvals store. */
export const approvalWrites: readonly (readonly [string, Write])[] = [
  [
    'POST approvals/:id/answer/',
    {
      prepare: async (place: Place): Promise<void> => {
        const { api } = await place.show.workspace.key(['all'], { autonomy: 'draft' });
        const asked = await createAgent(api).call('send_message', { to: place.show.receiver, text: 'Soon' });
        place.made = Number(asked.json['approval_id']);
      },
      at: ({ made }) => `/dashboard/approvals/${made}/`,
      fill: ({ mark }) => ({ text: `Instead ${mark}` }),
      row: count('messages', `direction = 'outbound' AND body::text LIKE '%Instead ' || $mark || '%'`),
      is: 1,
    },
  ],
  ...['approve', 'reject'].map((verb): [string, Write] => [
    `POST approvals/:id/${verb}/`,
    { at: () => '/dashboard/approvals/', row: count('approvals', `status = 'pending'`) },
  ]),
];
