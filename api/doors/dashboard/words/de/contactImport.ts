import type { Worded } from '../../../../core/text/catalogue';
import type { contactImport as en } from '../en/contactImport';
import { plural } from '../plural';

const countRows = (count: number): string => plural(count, { one: 'Zeile', other: 'Zeilen' });

export const contactImport: Worded<typeof en> = {
  title: 'Kontakte importieren',
  short: 'Importieren',
  noPlan: 'Es kann nichts importiert werden, bis ein Tarif gewählt ist.',
  choose: 'Wählen Sie eine CSV-Datei, oder ziehen Sie sie hierher',
  size: (most, megabytes) => `Bis zu ${most} Zeilen und ${megabytes} MB, in UTF-8 oder UTF-16.`,
  country: 'Nummern ohne Landesvorwahl gehören zu',
  noCountry: 'Alle Nummern haben ihre Landesvorwahl',
  start: 'Importieren',
  countRows,
  running: 'Import läuft',
  namesNobody: 'Keine Spalte mit der Telefonnummer wurde gefunden. Nennen Sie eine „Phone“.',
  preview: {
    in: 'in',
    ask: 'Sagen Sie, was jede Spalte ist. Es ist noch nichts importiert.',
    label: 'Zeilen der Datei',
    column: (name) => `Was „${name}“ ist`,
    unnamed: 'Ohne Namen',
    more: (count) =>
      `${plural(count, { one: 'weitere Spalte wird', other: 'weitere Spalten werden' })} bei den Kontakten aufbewahrt.`,
    start: (count) => `${countRows(count)} importieren`,
    progress: (count) => `{done} von ${count === 1 ? 'einer Zeile' : countRows(count)}`,
    namesNobody: 'Sagen Sie, welche Spalte die Telefonnummer ist: Wählen Sie über ihr „Telefon“.',
  },
  columns: {
    '': 'Weglassen',
    '(attribute)': 'Aufbewahren, wie es ist',
    phone: 'Telefon',
    name: 'Name',
    '(first_name)': 'Vorname',
    '(last_name)': 'Nachname',
    email: 'E-Mail',
    company: 'Firma',
    notes: 'Notizen',
    tags: 'Schlagwörter',
    marketing_opt_out: 'Von Marketing abgemeldet',
    bsuid: 'Nutzer-ID einer verborgenen Nummer',
    receiver_id: 'Telefon oder Nutzer-ID',
  },
  ownFields: 'Ihre Felder',
  check: {
    label: 'Was der Import tun würde',
    counts: {
      created: 'Neue Kontakte',
      updated: 'Bekannt, werden aktualisiert',
      failed: 'Abgewiesene Zeilen',
      optedOut: 'Durch diese Datei von Marketing abgemeldet',
      keptOut: 'Bleiben abgemeldet, was auch immer die Datei sagt',
    },
    problems: 'Was an manchen Zeilen nicht stimmt',
    refused: 'abgewiesen',
    dropped: 'Wert weggelassen',
    first: (row) => `zuerst in Zeile ${row}`,
  },
  reasons: {
    noNumber: 'Die Zeile hat keine Telefonnummer.',
    noPhone: 'Das ist keine Telefonnummer.',
    userId: 'Nutzer-ID',
  },
  guide: {
    title: 'Wie die Datei aussieht',
    text:
      'Die erste Zeile benennt die Spalten; eine davon ist die Telefonnummer. Dateien von Google, Outlook, HubSpot und ' +
      'Chatwoot werden gelesen, wie sie sind. Ein Kontakt, den es schon gibt, wird geändert, und dieselbe Datei noch einmal ' +
      'ändert nichts.',
    lists: 'Listen',
    listsText: 'Schlagwörter und mehrere Auswahlen sind durch Semikolons getrennt.',
    others: 'Andere Spalten',
    othersText: 'Werden beim Kontakt aufbewahrt, wie sie sind, oder weggelassen, wie Sie es sagen.',
  },
  done: {
    another: 'Weitere Datei importieren',
    see: 'Kontakte ansehen',
    title: 'Fertig',
    counts: { received: 'Zeilen', created: 'Erstellt', updated: 'Geändert', failed: 'Abgewiesen' },
    kept: (names) => `Bei den Kontakten aufbewahrt, wie sie sind: ${names}`,
    refused: 'Was abgewiesen oder weggelassen wurde',
    download: 'Als CSV herunterladen',
    more: 'Es gibt mehr als diese.',
    row: 'Zeile',
    column: 'Spalte',
    value: 'Wert',
    why: 'Warum',
  },
  script: {
    unreachable: 'Der Server ist nicht erreichbar.',
    unexpected: 'Der Server hat nicht geantwortet, wie er sollte.',
    tooLarge: 'Die Datei ist zu groß. Teilen Sie sie in kleinere auf.',
    checking: 'Die Zeilen werden geprüft …',
    begun:
      '{count} Zeilen sind importiert; importieren Sie die Datei noch einmal, um fortzufahren, das ändert nichts doppelt.',
    outcome: 'Ergebnis des Imports',
    stopped: 'Angehalten',
    download: 'Abgewiesene Zeilen herunterladen, mit dem, was nicht stimmt',
    table: 'Was abgewiesen wurde',
  },
  file: { dropped: 'Wert weggelassen', refused: 'Zeile abgewiesen' },
};
