import type { Worded } from '../../../../core/text/catalogue';
import type { sso as en } from '../en/sso';

export const sso: Worded<typeof en> = {
  title: 'Login único',
  noDomain:
    'Os membros podem entrar pelo provedor OpenID Connect da sua empresa. Quem opera esta instalação dá primeiro ao seu ' +
    'espaço de trabalho o domínio dele.',
  domain: 'E-mails de {domain} entram pelo provedor abaixo. Registre lá este endereço: {address}',
  onlyOwners: 'Só proprietários alteram isto.',
  fields: {
    issuer: { label: 'Emissor', hint: 'Como o provedor o escreve. Vazio: ninguém entra por ele.' },
    client_id: { label: 'ID do cliente' },
    client_secret: { label: 'Segredo do cliente' },
    new_member_role: { label: 'Quem entra pela primeira vez se torna' },
    new_member_permissions: { label: 'As permissões' },
    require_sso: {
      label: 'Os membros entram só por ele',
      hint: 'Proprietários também entram com senha e segundo fator, quando o provedor não funciona.',
    },
    require_factor_for_sso: { label: 'Aqui também é exigido um segundo fator' },
  },
  secretKept: 'Um está guardado. Vazio: ele fica, a menos que o emissor mude.',
  noSecret: 'Nenhum está guardado.',
  roles: {
    nobody: 'Ninguém: só membros entram',
    agent: 'Um agente com as permissões abaixo',
    admin: 'Um administrador',
  },
  saved: 'O login único foi salvo.',
};
