import type { Worded } from '../../../../core/text/catalogue';
import type { reports as en } from '../en/reports';
import { numberText } from '../numbers';
import { plural } from '../plural';

export const reports: Worded<typeof en> = {
  title: 'Informes',
  about:
    'Conversaciones que empezaron en estos días, desde el mensaje de un cliente hasta que se resolvieron. Se cuentan una ' +
    'vez por minuto.',
  export: 'Exportar como CSV',
  from: 'Desde',
  to: 'Hasta',
  sums: 'Sumas',
  show: 'Mostrar',
  groups: {
    day: 'Día',
    hour: 'Hora',
    member: 'Miembro',
    inbox: 'Bandeja de equipo',
    tag: 'Etiqueta',
    broadcast: 'Difusión',
  },
  by: (group) => `Por ${group.toLowerCase()}`,
  numbered: (group, key) => `${group} ${key}`,
  none: 'Ninguno',
  of: (group, name) => `${group}: ${name}`,
  figures: {
    started: 'Empezaron',
    answered: 'Respondidas',
    firstAnswer: 'Primera respuesta tras',
    resolved: 'Resueltas',
    resolution: 'Resueltas tras',
    rated: 'Calificadas',
    satisfied: 'Satisfechos',
    open: 'Abiertas al final',
  },
  nothing: '–',
  share: (percent) => `${numberText(percent)} %`,
  bars: (highest) => `Conversaciones que empezaron, como máximo ${highest}`,
  bar: (name, count) => `${name}: ${plural(count, { one: 'conversación', other: 'conversaciones' })}`,
  change: {
    about: (span) => `En comparación con ${span}, el mismo número de días antes.`,
    before: (value) => `Antes: ${value}`,
    same: 'sin cambios',
    better: (by) => `${by}, mejor`,
    worse: (by) => `${by}, peor`,
    points: (count) => plural(count, { one: 'punto', other: 'puntos' }),
  },
  list: {
    titles: {
      started: 'Conversaciones que empezaron',
      answered: 'Conversaciones respondidas',
      resolved: 'Conversaciones resueltas',
      rated: 'Conversaciones calificadas',
      satisfied: 'Conversaciones de clientes satisfechos',
      open: 'Conversaciones abiertas al final',
    },
    behind: 'Desde el recuento han cambiado conversaciones: el informe lo refleja en un minuto.',
    count: (count) => plural(count, { one: 'conversación', other: 'conversaciones' }),
    customer: 'Cliente',
    outcome: 'Resultado',
    outcomes: { goesOn: 'Sin terminar', merged: 'Fusionada', erased: 'Contacto borrado' },
  },
  empty: { title: 'Sin conversaciones', text: 'No hay ninguna en estos días.' },
};
