/**
 * Returns true for Gemini 3 and later, and for models whose names do not show their age: newer models are assumed to behave like the newest known
 * one.
 */
export function isGemini3(model: string): boolean {
  return /(^|\/)gemini-/i.test(model) && !/(^|\/)gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$)/i.test(model);
}

/** Returns true if a model thinks; others refuse thinking options (https://ai.google.dev/gemini-api/docs/thinking#supported-models). */
export function isThinking(model: string): boolean {
  const isKnownToThink = isGemini3(model) || /(^|\/)gemini-2\.5-/i.test(model);
  return isKnownToThink && !/-(?:tts|native-audio|live|embedding)\b|gemini-2\.5-flash-image|computer-use/i.test(model);
}

/** Returns the range of a Gemini 2.5 model's thinking budget, in tokens (https://ai.google.dev/gemini-api/docs/thinking#set-budget). */
export function thinkingBudgets(model: string): { least: number; most: number } {
  if (/2\.5-pro/i.test(model)) return { least: 128, most: 32_768 };
  return { least: 0, most: 24_576 };
}

/** Returns true for files that Gemini reads (https://ai.google.dev/gemini-api/docs/file-input-methods). */
export function isReadable(mediaType: string): boolean {
  return /^(?:image\/(?:png|jpe?g|webp|hei[cf])|application\/(?:pdf|json|xml|javascript|x-javascript|x-python|rtf)|(?:text|audio|video)\/.+)$/i.test(
    mediaType,
  );
}

/** Returns true for files that may be part of a function's result (https://ai.google.dev/gemini-api/docs/function-calling#multimodal). */
export function isReadableInResult(mediaType: string): boolean {
  return /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/i.test(mediaType);
}
