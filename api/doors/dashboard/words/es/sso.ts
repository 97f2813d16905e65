import type { Worded } from '../../../../core/text/catalogue';
import type { sso as en } from '../en/sso';

export const sso: Worded<typeof en> = {
  title: 'Inicio de sesión único',
  noDomain:
    'Los miembros pueden entrar con el proveedor de OpenID Connect de tu empresa. Quien opera esta instalación da primero ' +
    'su dominio a tu espacio de trabajo.',
  domain: 'Los correos de {domain} entran con el proveedor de abajo. Registra allí esta dirección: {address}',
  onlyOwners: 'Solo los propietarios cambian esto.',
  fields: {
    issuer: { label: 'Emisor', hint: 'Como lo escribe el proveedor. Vacío: nadie entra con él.' },
    client_id: { label: 'ID de cliente' },
    client_secret: { label: 'Secreto del cliente' },
    new_member_role: { label: 'Quien entra por primera vez pasa a ser' },
    new_member_permissions: { label: 'Sus permisos' },
    require_sso: {
      label: 'Los miembros entran solo con él',
      hint: 'Los propietarios entran también con contraseña y segundo factor, cuando el proveedor no funciona.',
    },
    require_factor_for_sso: { label: 'También aquí muestran un segundo factor' },
  },
  secretKept: 'Hay uno guardado. Vacío: se queda, salvo que cambie el emisor.',
  noSecret: 'No hay ninguno guardado.',
  roles: {
    nobody: 'Nadie: solo entran los miembros',
    agent: 'Un agente con los permisos de abajo',
    admin: 'Un administrador',
  },
  saved: 'El inicio de sesión único se guardó.',
};
