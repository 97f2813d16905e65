import type { Sequelize } from 'sequelize';
import * as accounts from './accounts';
import * as activity from './activity';
import * as agents from './agents';
import { associate } from './associations';
import * as broadcasts from './broadcasts';
import * as contacts from './contacts';
import * as conversations from './conversations';
import * as definitions from './definitions';
import * as files from './files';
import * as installation from './installation';
import * as macros from './macros';
import * as members from './members';
import * as messages from './messages';
import * as queues from './queues';
import * as rules from './rules';
import * as tickets from './tickets';
import * as webhooks from './webhooks';
import * as workspaces from './workspaces';

const tables = {
  ...accounts,
  ...activity,
  ...agents,
  ...broadcasts,
  ...contacts,
  ...conversations,
  ...definitions,
  ...files,
  ...installation,
  ...macros,
  ...members,
  ...messages,
  ...queues,
  ...rules,
  ...tickets,
  ...webhooks,
  ...workspaces,
};

type AnyTable = (typeof tables)[keyof typeof tables];

/** All tables of one connection, by the names of their models. */
export type Models = { readonly [T in AnyTable as T['model']]: ReturnType<T> };

/** Binds every table to one connection; nothing is bound at import, so one process may hold several. */
export function initModels(sequelize: Sequelize): Models {
  const bound = Object.values(tables).map((table) => [table.model, table(sequelize)] as const);
  const models = Object.fromEntries(bound) as unknown as Models;
  associate(models);
  return models;
}

export type * from './accounts';
export type * from './activity';
export type * from './agents';
export type * from './broadcasts';
export type * from './contacts';
export type * from './conversations';
export type * from './definitions';
export type * from './files';
export type * from './installation';
export type * from './macros';
export type * from './members';
export type * from './messages';
export type * from './queues';
export type * from './rules';
export type * from './tickets';
export type * from './webhooks';
export type * from './workspaces';
