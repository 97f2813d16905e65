import { customerGroups } from './customerEvents.js';
import { businessGroups } from './businessEvents.js';
import { disturbanceGroups } from './disturbances.js';

/**
 * Everything of the platform that the page can play, by name. A group has parts, each `[title, [[name, action], …]]`;
 * `user` says that it needs a chosen customer, `select` what its actions are about.
 */
export const groups = [...customerGroups, ...businessGroups, ...disturbanceGroups];
