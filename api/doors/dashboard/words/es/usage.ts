import type { Worded } from '../../../../core/text/catalogue';
import type { usage as en } from '../en/usage';
import { plural } from '../plural';

export const usage: Worded<typeof en> = {
  title: 'Costos',
  about:
    'Mensajes que llegaron, y aquellos por los que la plataforma dice que cobra. Lo que cuesta se calcula con las tarifas ' +
    'de abajo; la factura de la plataforma tiene la última palabra.',
  fields: { from: 'Desde', to: 'Hasta', group_by: 'Sumas' },
  groups: {
    day: 'Día',
    number: 'Número de teléfono',
    category: 'Categoría',
    broadcast: 'Difusión',
    member: 'Miembro',
    country: 'País',
  },
  by: {
    day: 'Por día',
    number: 'Por número de teléfono',
    category: 'Por categoría',
    broadcast: 'Por difusión',
    member: 'Por miembro',
    country: 'Por país',
  },
  show: 'Mostrar',
  empty: { title: 'Sin mensajes', text: 'Ninguno llegó en estos días.' },
  columns: { arrived: 'Llegaron', charged: 'Cobrados', cost: 'Costo' },
  all: 'Todos',
  none: 'Ninguno',
  noRate: 'sin tarifa',
  broadcast: (id) => `Difusión ${id}`,
  rates: {
    title: 'Tarifas',
    empty: 'Aún no hay ninguna. Tómalas de la lista de precios de la plataforma.',
    others: 'Todos los demás países',
    from: (amount, from) => `${amount}, desde ${from}`,
    fields: {
      csv: {
        label: 'Tarifas como CSV',
        hint: 'Columnas: country (dos letras, o * para todos los demás), category, rate, currency.',
      },
      valid_from: { label: 'Válidas desde' },
      replace: { label: 'Reemplazar todas las tarifas anteriores' },
    },
    store: 'Guardar las tarifas',
    stored: (count) => `${plural(count, { one: 'tarifa guardada', other: 'tarifas guardadas' })}.`,
  },
};
