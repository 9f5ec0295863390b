import type { Tokenizer } from '@loom/blocks';
import { CountedTexts } from './counted-texts.ts';

/**
 * Returns the tokenizer of a model whose tables are public: OpenAI's. For other vendors the kernel's estimate, corrected by the provider's reports,
 * is nearer than another vendor's tokenizer. The tables are large and are loaded when they are first needed.
 */
export async function findTokenizer(vendor: string, model: string): Promise<Tokenizer | undefined> {
  if (vendor !== 'openai') return undefined;
  const encoding = oldEncoding.test(model) ? 'cl100k_base' : 'o200k_base';
  return (tokenizers[encoding] ??= loadTokenizer(encoding));
}

/** Loaded once, each with its own remembered counts. */
const tokenizers: { cl100k_base?: Promise<Tokenizer>; o200k_base?: Promise<Tokenizer> } = {};

async function loadTokenizer(encoding: keyof typeof tokenizers): Promise<Tokenizer> {
  const { countTokens } =
    encoding === 'cl100k_base'
      ? await import('gpt-tokenizer/encoding/cl100k_base')
      : await import('gpt-tokenizer/encoding/o200k_base');
  // Special tokens of the model are counted as plain text, which they are in a message.
  const options = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return new CountedTexts((text) => sum(piecesOf(text).map((piece) => countTokens(piece, options))));
}

/** Cuts a text, since the time of encoding grows with the square of a run of letters or blanks; a cut costs one token at most. */
function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,1000}/gu) ?? [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** GPT-3.5 and GPT-4 before 4o have the encoding cl100k_base, everything since o200k_base. */
const oldEncoding = /^(?:gpt-3\.5|gpt-4(?:-|$))/;
