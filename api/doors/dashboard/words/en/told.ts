import { toldTexts } from '../../../../services/processes/texts';

/** What is told by its key: its texts are what REST says in English. */
export const told = { ...toldTexts };
