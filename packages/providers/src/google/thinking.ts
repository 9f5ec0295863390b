import type { PlainObject } from '@loom/blocks';
import type { CallSettings } from '../api/request/settings.ts';
import { isGemini3, isThinking, thinkingBudgets } from './models.ts';

type Reasoning = CallSettings['reasoning'];

/** How a model is told to think: Gemini 3 by a level, Gemini 2.5 by a number of tokens. Thoughts are shown wherever there are any. */
export function thinkingOptions(model: string, reasoning: Reasoning): PlainObject {
  if (!isThinking(model)) return {};
  const amount = isGemini3(model) ? levelFor(model, reasoning) : budgetFor(model, reasoning);
  return { thinkingConfig: { includeThoughts: reasoning !== 'off', ...amount } };
}

/** Thinking cannot be switched off: `off` is the least that there is. */
function levelFor(model: string, reasoning: Reasoning): PlainObject {
  switch (reasoning) {
    case undefined:
      return {};
    case 'off':
      return { thinkingLevel: /pro/i.test(model) ? 'low' : 'minimal' };
    case 'max':
      return { thinkingLevel: 'high' };
    default:
      return typeof reasoning === 'number' ? { thinkingBudget: reasoning } : { thinkingLevel: reasoning };
  }
}

const budgets = { off: 0, low: 1024, medium: 8192, high: 24_576, max: Number.POSITIVE_INFINITY };

function budgetFor(model: string, reasoning: Reasoning): PlainObject {
  if (reasoning === undefined) return {};
  const { least, most } = thinkingBudgets(model);
  const wanted = typeof reasoning === 'number' ? reasoning : budgets[reasoning];
  return { thinkingBudget: Math.min(most, Math.max(least, wanted)) };
}
