/** The form by which a contact is opted out of marketing, or in again, with what is asked before. */
export interface OptOutForm {
  readonly title: string;
  readonly warning: string;
  /** The button below the warning. */
  readonly confirm: string;
  readonly button: string;
  /** What the form asks for. */
  readonly value: string;
}

/** Builds the form for a person of that name. */
export function optOutForm(isOut: boolean, name: string): OptOutForm {
  return isOut
    ? {
        title: 'Opt in again?',
        warning: `${name} asked for no marketing. Go on only if they have asked for it again.`,
        confirm: 'Opt in',
        button: 'Opt in to marketing',
        value: 'false',
      }
    : {
        title: 'Opt out of marketing?',
        warning: `${name} will get no more broadcasts and marketing templates.`,
        confirm: 'Opt out',
        button: 'Opt out of marketing',
        value: 'true',
      };
}
