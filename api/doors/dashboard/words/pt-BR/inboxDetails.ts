import type { Worded } from '../../../../core/text/catalogue';
import type { details as en } from '../en/inboxDetails';

export const details: Worded<typeof en> = {
  label: (title) => `Sobre ${title}`,
  optedOut: 'Saiu do marketing',
  tags: {
    title: 'Etiquetas',
    unknown: 'As etiquetas têm uma forma que só a API conhece.',
    label: 'Etiquetas, separadas por vírgulas',
    placeholder: 'Adicionar etiquetas, com vírgulas',
  },
  person: { title: 'Pessoa', name: 'Nome', email: 'E-mail', company: 'Empresa', notes: 'Notas' },
  fields: { title: 'Campos', several: 'Separados por ponto e vírgula' },
  upcoming: 'O que vai acontecer',
  facts: {
    title: 'Dados',
    first: 'Primeira mensagem',
    answer: 'Responder até',
    snoozed: 'Adiada até',
    timer: 'O temporizador no Temporal',
    ad: 'Veio pelo anúncio',
  },
  activity: 'Atividade',
  showActivity: 'Mostrar o que aconteceu',
  saved: 'Salvo.',
  noActivity: 'Nada aconteceu ainda.',
  back: 'Voltar',
};
