import type { ModelFacts } from './model-facts.ts';

/**
 * Longest answers and abilities, which the catalogue of prices does not have, and windows that it lacks. Rows are tried from the top, and a row holds
 * only facts from the vendor's own documentation: platform.claude.com/docs/models, developers.openai.com/api/docs/models,
 * ai.google.dev/gemini-api/docs/models.
 */
export function factsOfFamily(vendor: string, model: string): Omit<ModelFacts, 'price'> {
  const family = families[vendor]?.find(({ names }) => names.test(model));
  return family?.facts ?? {};
}

type Families = readonly { names: RegExp; facts: Omit<ModelFacts, 'price'> }[];

const seeing = { images: true, files: true, tools: true };
const reasoning = { ...seeing, thinking: true };
const textOnly = { images: false, files: false, tools: true };

const anthropic: Families = [
  {
    names: /^claude-(?:fable-5|opus-5|sonnet-5|opus-4-[678]|sonnet-4-6)/,
    facts: { ...reasoning, context: 1_000_000, output: 128_000 },
  },
  { names: /^claude-(?:opus-4-5|sonnet-4|haiku-4-5|3-7-sonnet)/, facts: { ...reasoning, output: 64_000 } },
  { names: /^claude-opus-4(?:-[01]|-2025|$)/, facts: { ...reasoning, output: 32_000 } },
  { names: /^claude-opus-4-/, facts: reasoning },
  { names: /^claude-3-5-/, facts: { ...seeing, thinking: false, output: 8_192 } },
  { names: /^claude-3-/, facts: { images: true, tools: true, thinking: false, output: 4_096 } },
];

const openai: Families = [
  { names: /^gpt-5(?:-\d)?-chat/, facts: { ...seeing, thinking: false, output: 16_384 } },
  { names: /^gpt-5/, facts: { ...reasoning, output: 128_000 } },
  { names: /^(?:o3-mini|o1-mini|o1-preview)/, facts: { ...textOnly, thinking: true } },
  { names: /^(?:o1|o3|o4-mini)/, facts: { ...reasoning, output: 100_000 } },
  { names: /^gpt-4-1/, facts: { ...seeing, thinking: false, output: 32_768 } },
  { names: /^gpt-4o/, facts: { ...seeing, thinking: false, output: 16_384 } },
  { names: /^gpt-4-turbo/, facts: { images: true, tools: true, thinking: false, output: 4_096 } },
  { names: /^gpt-4(?:-0|-32k|$)/, facts: { ...textOnly, thinking: false, output: 8_192 } },
  { names: /^gpt-3-5/, facts: { ...textOnly, thinking: false, output: 4_096 } },
];

const google: Families = [
  { names: /^gemini-(?:2-5|3)/, facts: { ...reasoning, context: 1_048_576, output: 65_536 } },
  { names: /^gemini-(?:2-0|1-5)/, facts: { ...seeing, thinking: false, output: 8_192 } },
];

const families: Readonly<Record<string, Families>> = { anthropic, openai, google };
