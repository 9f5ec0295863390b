import type { ThinkingForm } from '../openai/native-chat.ts';

/** The differences between servers of one shape. */
export interface ServerHabits {
  thinking: ThinkingForm;
  takesPrefix: boolean;
}

/**
 * Returns the known habits of a server by its address and of a model by its family. DeepSeek, Kimi and GLM want their thoughts back, or refuse a
 * round of tools without them, also behind a gateway (https://api-docs.deepseek.com/guides/thinking_mode,
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model, https://docs.z.ai/guides/capabilities/thinking-mode); OpenRouter wants thoughts
 * in its own form (https://openrouter.ai/docs/use-cases/reasoning-tokens). Others do not get them: most would ignore them, some refuse.
 */
export function habitsOf(baseURL: string, model: string): ServerHabits {
  const host = URL.parse(baseURL)?.hostname ?? '';
  return { thinking: thinkingForm(host, model), takesPrefix: false };
}

function thinkingForm(host: string, model: string): ThinkingForm {
  if (host === 'openrouter.ai') return 'reasoning_details';
  if (/(^|\.)(deepseek\.com|moonshot\.(ai|cn)|z\.ai|bigmodel\.cn)$/.test(host)) return 'reasoning_content';
  return strictHosts.test(host) || !wantsThoughts.test(model) ? 'none' : 'reasoning_content';
}

/** Servers that refuse a message with an unknown field. */
const strictHosts = /(^|\.)(groq\.com|cerebras\.ai|mistral\.ai|openai\.com|x\.ai)$/;

/** The families that want their thoughts back, in any gateway's spelling. DeepSeek R1 refuses them. */
const wantsThoughts =
  /deepseek-(?:reasoner|v(?:3[._p-]?[12]|[4-9]))|kimi-k(?:2-thinking|2[._p]\d|[3-9])|glm-(?:4[._p][5-9]|4-[5-9](?!b)|[5-9])/i;
