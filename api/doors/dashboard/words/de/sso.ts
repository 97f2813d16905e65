import type { Worded } from '../../../../core/text/catalogue';
import type { sso as en } from '../en/sso';

export const sso: Worded<typeof en> = {
  title: 'Single Sign-on',
  noDomain:
    'Mitglieder können sich über den OpenID-Connect-Anbieter Ihrer Firma anmelden. Der Betreiber dieser Installation ' +
    'gibt Ihrem Arbeitsbereich zuerst seine Domain.',
  domain:
    'E-Mail-Adressen von {domain} melden sich über den Anbieter unten an. Registrieren Sie dort diese Adresse: {address}',
  onlyOwners: 'Das ändern nur Inhaber.',
  fields: {
    issuer: { label: 'Aussteller', hint: 'So, wie der Anbieter ihn schreibt. Leer: Niemand meldet sich damit an.' },
    client_id: { label: 'Client-ID' },
    client_secret: { label: 'Client-Geheimnis' },
    new_member_role: { label: 'Wer sich zum ersten Mal anmeldet, wird' },
    new_member_permissions: { label: 'Deren Berechtigungen' },
    require_sso: {
      label: 'Mitglieder melden sich nur damit an',
      hint: 'Inhaber kommen auch mit Passwort und zweitem Faktor hinein, wenn der Anbieter nicht funktioniert.',
    },
    require_factor_for_sso: { label: 'Auch hier wird ein zweiter Faktor verlangt' },
  },
  secretKept: 'Eines ist gespeichert. Leer: Es bleibt, außer der Aussteller ändert sich.',
  noSecret: 'Keines ist gespeichert.',
  roles: {
    nobody: 'Niemand: Nur Mitglieder werden eingelassen',
    agent: 'Ein Agent mit den Berechtigungen unten',
    admin: 'Ein Administrator',
  },
  saved: 'Single Sign-on ist gespeichert.',
};
