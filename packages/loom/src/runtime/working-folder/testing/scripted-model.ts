import type { PlainObject } from '@loom/blocks';
import type { Provider, ProviderEvent } from '@loom/kernel';

/** The calls that a model makes at once. */
export type Round = readonly (readonly [name: string, parameters: PlainObject])[];

/** A model that makes the calls of one round after the other, then says that it is done. `before` is waited for in every call of it. */
export function scripted(rounds: readonly Round[], before: () => Promise<void> = async () => {}): Provider {
  return {
    id: 'scripted',
    async *stream({ messages }): AsyncGenerator<ProviderEvent> {
      yield { type: 'call-start' };
      await before();
      const round = messages.filter(({ role }) => role === 'assistant').length;
      const calls = rounds[round] ?? [];
      for (const [index, [name, parameters]] of calls.entries()) {
        const block = { type: 'tool-use' as const, id: `call-${round}-${index}`, name, parameters };
        yield { type: 'block', message: 'm', role: 'assistant', block };
      }
      const done = { type: 'text' as const, text: 'Done.' };
      if (calls.length === 0) yield { type: 'block', message: 'm', role: 'assistant', block: done };
      yield { type: 'call-end', reason: calls.length === 0 ? 'stop' : 'tool-use' };
    },
  };
}
