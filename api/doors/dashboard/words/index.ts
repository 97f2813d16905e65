import { catalogue } from '../../../core/text/catalogue';
import * as de from './de';
import * as en from './en';
import * as es from './es';
import * as ptBr from './pt-BR';

/**
 * What pages say, by subject, in the language of the request. Another language is a folder beside `en`: one that lacks a
 * text does not compile.
 */
export const words = catalogue<typeof en>({ en, de, es, 'pt-BR': ptBr });
