import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { phoneNumberItem, phoneNumberItemShape } from './serializer';
import { listPhoneNumbers } from './service';

/** Phone numbers over the API (contract 3.1, 15). */
export const phoneNumberOperations = [
  operation({
    id: 'phoneNumbers.list',
    method: 'GET',
    path: '/api/v1/phone-numbers/',
    tag: 'Phone numbers',
    summary: 'List phone numbers',
    description: 'All phone numbers of the workspace, as a plain array.',
    scope: 'chat.view',
    status: 200,
    output: wire.list(phoneNumberItemShape),
    run: async (ctx) => (await listPhoneNumbers(ctx)).map(phoneNumberItem),
  }),
];
