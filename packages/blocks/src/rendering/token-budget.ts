import { blocksShownToModel } from './model-view.ts';
import type { ModelBlock } from './model-view.ts';
import type { Message } from '../message.ts';
import type { Pricing } from '../pricing.ts';

/** Counts the tokens of a text as one model does. A port: the tables it needs are too heavy for this package. */
export interface Tokenizer {
  count(text: string): number;
}

/** The limits of a model's input and output, in tokens. An unknown value limits nothing. */
export interface ModelCaps {
  contextWindow?: number;
  maxOutput?: number;
}

/** Knows models by name. A port: prices and windows change faster than code. */
export interface Catalogue {
  capsOf(provider: string, model: string): ModelCaps | undefined | Promise<ModelCaps | undefined>;
  priceOf?(provider: string, model: string): TokenPrice | undefined | Promise<TokenPrice | undefined>;
  /** Returns the data needed to price calls of the past, loaded once for many of them. */
  pricing?(): Pricing | Promise<Pricing>;
}

/** US dollars per million tokens; without a cache price, input read from a cache costs as much as the rest. */
export interface TokenPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** The output tokens to ask for where neither the request nor the catalogue names a limit: nearly every server grants them. */
export const usualOutput = 8192;

/** Tokens per UTF-16 code unit where no tokenizer is known: pessimistic for English prose, about right for code. */
const tokensPerCharacter = 0.3;

/** Tokens that an image or file is taken to cost; providers bill 85 to 1,600 by size, which is not known here. */
const tokensPerImage = 1000;

/** The means to make an estimate better than a guess. */
export interface EstimateOptions {
  tokenizer?: Tokenizer;
  /** Reported ÷ estimated input tokens of an earlier call of the same conversation; 1 if nothing was reported yet. */
  correction?: number;
}

/** Estimates the input tokens of a request: the system prompt and everything of the messages that a model is shown. */
export function estimateInputTokens(
  messages: readonly Message[],
  systemPrompt: string | undefined,
  options: EstimateOptions = {},
): number {
  const count = (text: string) => options.tokenizer?.count(text) ?? text.length * tokensPerCharacter;
  let tokens = systemPrompt === undefined ? 0 : count(systemPrompt);
  for (const message of messages) {
    for (const block of blocksShownToModel(message)) tokens += blockTokens(block, count);
  }
  const { correction = 1 } = options;
  const corrected = Number.isFinite(correction) && correction > 0 ? tokens * correction : tokens;
  // 0.3 is not a binary fraction: ten characters must be 3 tokens, not 4.
  return Math.ceil(Number(corrected.toFixed(6)));
}

function blockTokens(block: ModelBlock, count: (text: string) => number): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return count(block.text);
    case 'tool-use':
      return count(block.name) + count(block.arguments ?? JSON.stringify(block.parameters));
    case 'image':
      return tokensPerImage;
  }
}

/** The output limit to send, or why no request should be made. */
export type ClampResult =
  | { ok: true; maxTokens: number; clamped: boolean }
  | { ok: false; refusal: { reason: 'no-room'; contextWindow: number; estimatedInput: number } }
  | { ok: false; refusal: { reason: 'invalid-params'; message: string } };

/** The behavior if the input alone fills the window: `clamp` asks for one token and lets the provider judge; `fail` refuses. */
export interface ClampOptions {
  onNoRoom?: 'clamp' | 'fail';
}

/**
 * Returns the output tokens to ask for: the requested number (none: as much as the model gives, or `usualOutput`), but no
 * more than the model's cap and the rest of the window beside the input; a whole number, at least 1.
 */
export function clampMaxTokens(
  requested: number | undefined,
  caps: ModelCaps | undefined,
  estimatedInput: number,
  options: ClampOptions = {},
): ClampResult {
  const notANumber = findNaN({ requested, estimatedInput, ...caps });
  if (notANumber !== undefined) return refuse(`${notANumber} must be a number`);
  const { contextWindow = Infinity, maxOutput = Infinity } = caps ?? {};
  const residual = Math.floor(contextWindow - estimatedInput);
  if (residual < 1 && options.onNoRoom === 'fail') {
    return { ok: false, refusal: { reason: 'no-room', contextWindow, estimatedInput } };
  }
  const wanted = requested ?? caps?.maxOutput ?? usualOutput;
  const maxTokens = Math.max(1, Math.floor(Math.min(wanted, maxOutput, residual)));
  if (!Number.isSafeInteger(maxTokens)) return refuse('one of requested, maxOutput and contextWindow must be finite');
  return { ok: true, maxTokens, clamped: requested !== undefined && maxTokens < Math.floor(requested) };
}

function refuse(message: string): ClampResult {
  return { ok: false, refusal: { reason: 'invalid-params', message } };
}

function findNaN(numbers: Record<string, number | undefined>): string | undefined {
  return Object.keys(numbers).find((name) => Number.isNaN(numbers[name]));
}
