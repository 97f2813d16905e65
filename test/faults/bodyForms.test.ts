import { tellAnything, tellEveryWrite } from '../support/bodyForms';

tellEveryWrite('whatever its fields hold', tellAnything);
