import type { Worded } from '../../../../core/text/catalogue';
import type { apiKeys as en } from '../en/apiKeys';
import { plural } from '../plural';

export const apiKeys: Worded<typeof en> = {
  title: 'Chaves de API',
  new: 'Nova chave',
  newTitle: 'Nova chave de API',
  about: 'A chave é sua: pode no máximo o que você pode e perde o que você perder.',
  empty: {
    title: 'Nenhuma chave ainda',
    text:
      'Uma chave permite que um programa use a API, ou que um agente use {mcp}, com as permissões que você escolher. ' +
      '{reference}',
    reference: 'A referência da API',
  },
  columns: {
    name: 'Nome',
    permissions: 'Permissões',
    autonomy: 'Autonomia',
    used: 'Último uso',
    expires: 'Expira',
  },
  member: (id) => `Membro ${id}`,
  permissions: (count) => `${count} permissões`,
  notes: 'lê notas',
  never: 'nunca',
  revoked: 'revogada',
  expired: 'expirada',
  onlyFrom: (count) => `Só a partir de ${plural(count, { one: 'rede', other: 'redes' })}`,
  fields: {
    name: { label: 'Nome', hint: 'Para que serve, por exemplo “Sistema da loja”.' },
    scopes: { label: 'Permissões', hint: 'Escolha tão poucas quanto ela precisar.' },
    autonomy: {
      label: 'Autonomia',
      hint: 'Abaixo de autônoma, a API recusa envios, e em /mcp eles esperam uma aprovação.',
    },
    expires_at: { label: 'Expira' },
    allowed_addresses: {
      label: 'Só a partir destes endereços',
      hint: 'Um endereço ou rede por linha, por exemplo 203.0.113.0/24 ou 2001:db8::/32. Vazio: de qualquer lugar.',
    },
    notes: {
      label: 'Lê as notas da equipe',
      hint: 'Sem marcar, ela pode escrever notas com chat.assign e não lê nenhuma.',
    },
  },
  zone: (zone) => `No fuso horário do espaço de trabalho, ${zone}.`,
  noMoment: 'Informe uma data e uma hora.',
  levels: {
    autonomous: 'Autônoma: envia sozinha',
    approval: 'Aprovação: cada envio consulta os membros',
    draft: 'Rascunho: os envios esperam uma revisão',
  },
  create: 'Criar a chave',
  made: {
    title: 'Sua nova chave',
    copy: 'Copie agora: ela é mostrada só desta vez.',
    label: 'Chave de API',
    copied: 'Já copiei',
  },
  revoke: {
    button: 'Revogar',
    title: 'Revogar uma chave',
    named: (name) => `Revogar “${name}”?`,
    text: 'Todo programa que a usa é recusado a partir da próxima solicitação. Isso não pode ser desfeito.',
    done: 'A chave foi revogada.',
  },
};
