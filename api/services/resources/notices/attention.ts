import type { RuleAttention } from '../../../../models/ruleParts';

const words: Readonly<Record<RuleAttention['reason'], string>> = {
  owner_gone: 'the member in whose name it acts has left',
  missing_scope: 'the member in whose name it acts may not do this any more',
  reference_gone: 'something that it names is gone',
  unusual_volume: 'it would act on more than 500 conversations in an hour',
  failing: 'it failed five times in a row',
  late: 'what it would have sent was too late',
};

/** Returns why a rule asks for a member. */
export function attentionWords(reason: string): string {
  return (words as Readonly<Record<string, string>>)[reason] ?? 'it asks to be looked at';
}
