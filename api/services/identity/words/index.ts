import { catalogue } from '../../../core/text/catalogue';
import { de } from './de';
import { en } from './en';
import { es } from './es';
import { ptBr } from './pt-BR';

/** What members are told outside of pages: by mail, by push and as notices. Read in the language of the member. */
export const toldTexts = catalogue<typeof en>({ en, de, es, 'pt-BR': ptBr });
