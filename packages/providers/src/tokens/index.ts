import type { Tokenizer } from '@loom/blocks';

/**
 * The tokenizer of a model, where its tables are public: OpenAI's. Elsewhere the kernel's estimate, corrected by what the provider reports,
 * is nearer than the tokenizer of another vendor. The tables are large and are loaded when they are first needed.
 */
export async function findTokenizer(vendor: string, model: string): Promise<Tokenizer | undefined> {
  if (vendor !== 'openai') return undefined;
  const { countTokens } = oldEncoding.test(model)
    ? await import('gpt-tokenizer/encoding/cl100k_base')
    : await import('gpt-tokenizer/encoding/o200k_base');
  // Words that mean something special to the model are counted as the text that they are in a message.
  const options = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return { count: (text) => sum(piecesOf(text).map((piece) => countTokens(piece, options))) };
}

/** The time that encoding takes grows with the square of a run of letters or blanks, so that a text is cut; a cut costs one token at most. */
function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,1000}/gu) ?? [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** GPT-3.5 and GPT-4 before 4o have the encoding cl100k_base, everything since o200k_base. */
const oldEncoding = /^(?:gpt-3\.5|gpt-4(?:-|$))/;
