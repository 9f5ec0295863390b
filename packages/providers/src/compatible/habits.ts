import type { ThinkingForm } from '../openai/native-chat.ts';

/** In what servers of one shape differ. */
export interface ServerHabits {
  thinking: ThinkingForm;
  takesPrefix: boolean;
}

/**
 * What is known of servers by their address. DeepSeek and Moonshot refuse a round of tools whose answer comes back without its thoughts
 * (https://api-docs.deepseek.com/guides/thinking_mode, https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model); OpenRouter wants them in
 * its own form (https://openrouter.ai/docs/use-cases/reasoning-tokens). To all others they are not sent: most would ignore them, some refuse.
 */
export function habitsOf(baseURL: string): ServerHabits {
  const host = URL.parse(baseURL)?.hostname ?? '';
  if (host === 'openrouter.ai') return { thinking: 'reasoning_details', takesPrefix: false };
  if (/(^|\.)(deepseek\.com|moonshot\.(ai|cn))$/.test(host))
    return { thinking: 'reasoning_content', takesPrefix: false };
  return { thinking: 'none', takesPrefix: false };
}
