import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { leastAnswer } from '../api/request/settings.ts';
import type { CallSettings } from '../api/request/settings.ts';

type Reasoning = NonNullable<CallSettings['reasoning']>;

/** Returns the form in which a model is told to think: not at all, by a budget of tokens, or by effort ("adaptive"; everything since Claude 4.6). */
export function thinkingManner(model: string): 'none' | 'budget' | 'effort' {
  if (/claude-(instant|v?2|3(?!-7))/.test(model)) return 'none';
  return /claude-(3-7|(opus|sonnet)-4(-[015](?!\d)|-\d{8}|@|$)|haiku-4)/.test(model) ? 'budget' : 'effort';
}

/** Returns true if a model takes an answer as the last message: those that refuse thinking budgets refuse it. */
export function takesPrefix(model: string): boolean {
  return thinkingManner(model) !== 'effort';
}

/** The smallest budget that the API accepts. */
const leastBudget = 1024;
const budgets = { low: 2048, medium: 8192, high: 24_576, max: Number.POSITIVE_INFINITY };

type ThinkingOptions = Pick<LanguageModelV4CallOptions, 'maxOutputTokens' | 'reasoning' | 'providerOptions'>;

/**
 * Returns the options that make a model think as much as requested. The SDK adds a budget to the limit of the output, and the sum must stay within
 * that limit: the rest of the context.
 */
export function thinkingOptions(model: string, reasoning: Reasoning | undefined, limit: number): ThinkingOptions {
  const manner = thinkingManner(model);
  if (reasoning === undefined || manner === 'none') return { maxOutputTokens: limit };
  if (reasoning === 'off' || reasoning === 0) return { maxOutputTokens: limit, reasoning: 'none' };
  if (manner === 'effort') return { maxOutputTokens: limit, reasoning: effortOf(reasoning) };
  const wanted = typeof reasoning === 'number' ? reasoning : budgets[reasoning];
  const budgetTokens = Math.min(Math.max(wanted, leastBudget), limit - leastAnswer);
  if (budgetTokens < leastBudget) return { maxOutputTokens: limit };
  const thinking = { type: 'enabled', budgetTokens };
  const anthropicBeta = thinksBetweenCalls(model) ? { anthropicBeta: [interleavedThinking] } : {};
  return { maxOutputTokens: limit - budgetTokens, providerOptions: { anthropic: { thinking, ...anthropicBeta } } };
}

/**
 * Claude 4 and 4.5 think between tool calls only with this header; newer models do so without
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking).
 */
const interleavedThinking = 'interleaved-thinking-2025-05-14';

function thinksBetweenCalls(model: string): boolean {
  return /claude-(?:opus|sonnet|haiku)-4/.test(model);
}

/**
 * Returns true for models that check that a thought comes back in its own conversation. The kernel leaves out thoughts that are no longer valid;
 * should it miss one, Anthropic is to leave it out too, instead of refusing the request
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
export function bindsThoughts(model: string): boolean {
  return /claude-(?:fable|mythos)-5[.-]1/.test(model);
}

/** Returns the options with which Anthropic leaves out a thought of another conversation, beside those for the amount of thinking. */
export function boundThinking(model: string, reasoning: Reasoning | undefined): ThinkingOptions['providerOptions'] {
  const blockBinding = { prefixMismatchBehavior: 'drop_block' };
  const isOff = reasoning === 'off' || reasoning === 0;
  // Thinking that is off has nothing to bind; models that always bind cannot switch it off.
  if (isOff && !bindsThoughts(model)) return undefined;
  const thinking = isOff || reasoning === undefined ? {} : { type: 'adaptive', display: 'summarized' };
  return { anthropic: { thinking: { ...thinking, blockBinding } } };
}

function effortOf(reasoning: Exclude<Reasoning, 'off'>): 'low' | 'medium' | 'high' | 'max' {
  if (typeof reasoning !== 'number') return reasoning;
  if (reasoning <= budgets.low) return 'low';
  return reasoning <= budgets.medium ? 'medium' : 'high';
}
