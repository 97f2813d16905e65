export { createClient, type Download, type Msgdesk, type Upload } from './client.js';
export { MsgdeskError, SignatureError, isRefusal } from './errors.js';
export type { ClientSettings, ConditionalOptions, KeyedOptions, Options } from './http.js';
export { Pages, type Page } from './pages.js';
export { shownBy, verifyWebhook, type GivenHeaders } from './webhooks.js';
export type * from './generated.js';
