import type { PlainObject } from '@loom/blocks';
import { leastAnswer } from '../api/request/settings.ts';
import type { CallSettings } from '../api/request/settings.ts';
import { isGemini3, isThinking, thinkingBudgets } from './models.ts';

type Reasoning = CallSettings['reasoning'];

/**
 * Returns the thinking options of a model: Gemini 3 takes a level, Gemini 2.5 a number of tokens. Thoughts are always shown. They count towards
 * `limit`, the longest answer, so a budget leaves room for the text.
 */
export function thinkingOptions(model: string, reasoning: Reasoning, limit = Infinity): PlainObject {
  if (!isThinking(model)) return {};
  const most = Math.max(0, limit - leastAnswer);
  const amount = isGemini3(model) ? levelFor(model, reasoning, most) : budgetFor(model, reasoning, most);
  return { thinkingConfig: { includeThoughts: reasoning !== 'off', ...amount } };
}

/** Thinking cannot be switched off: `off` is the lowest level. */
function levelFor(model: string, reasoning: Reasoning, most: number): PlainObject {
  switch (reasoning) {
    case undefined:
      return {};
    case 'off':
      return { thinkingLevel: /pro/i.test(model) ? 'low' : 'minimal' };
    case 'max':
      return { thinkingLevel: 'high' };
    default:
      return typeof reasoning === 'number'
        ? { thinkingBudget: Math.min(reasoning, most) }
        : { thinkingLevel: reasoning };
  }
}

const budgets = { off: 0, low: 1024, medium: 8192, high: 24_576, max: Number.POSITIVE_INFINITY };

function budgetFor(model: string, reasoning: Reasoning, room: number): PlainObject {
  if (reasoning === undefined) return {};
  const { least, most } = thinkingBudgets(model);
  const wanted = typeof reasoning === 'number' ? reasoning : budgets[reasoning];
  return { thinkingBudget: Math.max(least, Math.min(most, room, wanted)) };
}
