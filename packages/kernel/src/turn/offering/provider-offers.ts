import { z } from 'zod';
import { cleanString, isBlank } from '@loom/blocks';
import { once } from '../../once.ts';
import type { Clock } from '../../ports.ts';
import type { Provider, ProviderOffer } from '../../provider.ts';
import { describeMismatch, describeThrown } from '../misbehaviour.ts';

/** A provider, and its current offers. */
export interface OfferingProvider {
  provider: Provider;
  offer: ProviderOffer;
}

/** The time that a provider has to name its offers, in milliseconds: a program is started for its version. */
const offerTime = 3_000;

/**
 * Asks all providers that have offers for them, side by side. One that fails is `missing`, with the reason. One that does not answer in time
 * may only be slow, as programs are on a busy machine: its answer is there for the next one who asks.
 */
export function askForOffers(providers: readonly Provider[], clock: Clock): Promise<OfferingProvider[]> {
  const offering = providers.filter((provider) => provider.offers !== undefined);
  return Promise.all(offering.map(async (provider) => ({ provider, offer: await askOne(provider, clock) })));
}

async function askOne(provider: Provider, clock: Clock): Promise<ProviderOffer> {
  const { promise: patience, resolve: leave } = Promise.withResolvers<'late'>();
  const cancel = clock.after(offerTime, () => leave('late'));
  try {
    const answer = await Promise.race([(async (): Promise<unknown> => provider.offers?.())(), patience]);
    if (answer === 'late') return late(provider);
    const read = providerOffer().safeParse(answer);
    return read.success ? read.data : missing(provider, describeMismatch(read.error));
  } catch (error) {
    return missing(provider, describeThrown(error));
  } finally {
    cancel();
  }
}

function late({ id }: Provider): ProviderOffer {
  const message = `${id} has not said within ${offerTime / 1_000} seconds what it offers. Look again in a moment.`;
  return { state: { type: 'failed', code: 'no-answer', message } };
}

function missing({ id }: Provider, why: string): ProviderOffer {
  return { state: { type: 'missing', message: `The provider ${id} cannot say what it offers: ${why}` } };
}

const name = cleanString.refine((text) => !isBlank(text), { error: 'must not be blank' });

/** More choices than this, no person looks through. */
const mostChoices = 1_000;

const choice = z.strictObject({ name, about: cleanString.exactOptional() });
const choices = z.array(choice).max(mostChoices);

const tokens = z.int().positive().exactOptional();
const ability = z.boolean().exactOptional();
const models = z
  .array(
    choice.extend({
      created: z.number().exactOptional(),
      context: tokens,
      output: tokens,
      images: ability,
      files: ability,
      thinking: ability,
      tools: ability,
    }),
  )
  .max(mostChoices);

const providerOffer: () => z.ZodType<ProviderOffer> = once(() =>
  z.strictObject({
    state: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('installed'), version: cleanString.exactOptional() }),
      z.strictObject({ type: z.literal('missing'), message: cleanString, needs: z.literal('login').exactOptional() }),
      z.strictObject({
        type: z.literal('failed'),
        code: z.enum(['key-refused', 'no-answer', 'unreadable']),
        message: cleanString,
      }),
    ]),
    models: models.exactOptional(),
    modes: choices.exactOptional(),
    commands: choices.exactOptional(),
    remark: cleanString.exactOptional(),
  }),
);
