import type { Approval, Ask, ProviderCall } from '@loom/kernel';

/** Puts questions about calls to a person, each call once: a decision is bound to exactly what was shown. */
export class DecidedCalls {
  readonly #call: Pick<ProviderCall, 'decide'>;
  readonly #asked = new Map<string, { exact: string; approval: Promise<Approval> }>();

  constructor(call: Pick<ProviderCall, 'decide'>) {
    this.#call = call;
  }

  /** Returns the decision about a call. A program that asks again gets the same one; `undefined` if it asks in other words than before. */
  async decide(call: string, exact: string, ask: Ask): Promise<Approval | undefined> {
    const asked = this.#asked.get(call) ?? { exact, approval: this.#call.decide(call, ask) };
    this.#asked.set(call, asked);
    return asked.exact === exact ? asked.approval : undefined;
  }
}
