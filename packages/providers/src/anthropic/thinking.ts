import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { CallSettings } from '../api/request/settings.ts';

type Reasoning = NonNullable<CallSettings['reasoning']>;

/** How a model is told to think: not at all, by a budget of tokens, or by effort ("adaptive"; everything since Claude 4.6). */
export function thinkingManner(model: string): 'none' | 'budget' | 'effort' {
  if (/claude-(instant|v?2|3(?!-7))/.test(model)) return 'none';
  return /claude-(3-7|(opus|sonnet)-4(-[015](?!\d)|-\d{8}|@|$)|haiku-4)/.test(model) ? 'budget' : 'effort';
}

/** Models that refuse thinking budgets also refuse an answer as the last message. */
export function takesPrefix(model: string): boolean {
  return thinkingManner(model) !== 'effort';
}

/** The least that the API accepts as a budget, and what is left for the answer itself. */
const leastBudget = 1024;
const leastAnswer = 1024;
const budgets = { low: 2048, medium: 8192, high: 24_576, max: Number.POSITIVE_INFINITY };

type ThinkingOptions = Pick<LanguageModelV4CallOptions, 'maxOutputTokens' | 'reasoning' | 'providerOptions'>;

/**
 * The options that make a model think as much as it is asked to. The SDK adds a budget to the limit of the output, and the sum must stay
 * within that limit: it is what is left of the context.
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
  return { maxOutputTokens: limit - budgetTokens, providerOptions: { anthropic: { thinking } } };
}

function effortOf(reasoning: Exclude<Reasoning, 'off'>): 'low' | 'medium' | 'high' | 'max' {
  if (typeof reasoning !== 'number') return reasoning;
  if (reasoning <= budgets.low) return 'low';
  return reasoning <= budgets.medium ? 'medium' : 'high';
}
