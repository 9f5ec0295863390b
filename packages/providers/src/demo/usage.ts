import { estimateInputTokens } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest, Usage } from '@loom/kernel';

/** The demo counts four characters as a token, in and out. */
export const charactersPerToken = 4;

const tokenizer = { count: (text: string) => text.length / charactersPerToken };

type InputUsage = Pick<Usage, 'input_tokens' | 'cached_input_tokens'>;

/** Returns the usage of a request before any output. */
export function measureInput({ messages, systemPrompt }: ProviderRequest): InputUsage {
  // A cache would hold the input of the last call: everything before its answer.
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant');
  const cached = lastAnswer < 0 ? 0 : estimate(messages.slice(0, lastAnswer), systemPrompt);
  return {
    input_tokens: estimate(messages, systemPrompt),
    ...(cached > 0 ? { cached_input_tokens: cached } : {}),
  };
}

/** Counts the output while it is emitted, so that a stopped call is billed for no more than its reader got. */
export class UsageMeter {
  #said = 0;
  #thought = 0;
  readonly #thinkingKeys = new Set<string>();

  count(event: ProviderEvent): void {
    if (event.type === 'block-start' && event.block.type === 'thinking') this.#thinkingKeys.add(event.key);
    if (event.type !== 'block-delta') return;
    this.#said += event.text.length;
    if (this.#thinkingKeys.has(event.key)) this.#thought += event.text.length;
  }

  /** Thinking is part of the output, as with the models that bill for it. */
  report({ input_tokens, ...cached }: InputUsage): Usage {
    // In the order in which a log is read back, so that files stay the same to the byte.
    return {
      input_tokens,
      output_tokens: Math.ceil(this.#said / charactersPerToken),
      ...cached,
      ...(this.#thought > 0 ? { reasoning_tokens: Math.ceil(this.#thought / charactersPerToken) } : {}),
      cost_usd: 0,
    };
  }
}

function estimate(messages: ProviderRequest['messages'], systemPrompt: string | undefined): number {
  return estimateInputTokens(messages, systemPrompt, { tokenizer });
}
