import type { KnownModels } from '../models/models.ts';
import type { Picked } from '../models/picked.ts';

/** Says who answers what is written now, and of the demo if it does so for want of a choice. */
export function answererNote(
  models: readonly { readonly name: string; readonly provider: string }[],
  picked: Pick<Picked, 'names'>,
  { isUsualSet }: Pick<KnownModels, 'isUsualSet'>,
): string {
  const [first] = models;
  if (first === undefined) return 'messages are kept, and can be answered once there is a model.';
  const isChosen = picked.names.length > 0 || isUsualSet;
  return first.provider === 'demo' && !isChosen
    ? 'the demo answers until you choose a model.'
    : `${first.name} answers.`;
}
