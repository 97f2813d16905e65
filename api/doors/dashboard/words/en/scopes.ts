import { scopeDescriptions } from '../../../../core/http/access';

/** What permissions grant, as the API's description has it in English. */
export const scopes = { ...scopeDescriptions };
