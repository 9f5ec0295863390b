import { longText, slowText } from './long-texts.ts';
import { passage, say } from './script.ts';
import type { Script } from './script.ts';
import type { Topic } from './topic.ts';

/** Adds a thought before the output of a script. */
export function thinkFirst(thought: string, script: Script): Script {
  return { ...script, lines: [{ type: 'thinking', text: thought }, ...script.lines] };
}

/** Many small pieces with time between them: the model `slow` does the same with any prompt. */
export const slow: Topic = {
  example: 'slowly',
  description: 'a story of more than ten seconds, to be stopped, left or cut off',
  pattern: /\bslow(?:ly)?\b|\bstory\b/iu,
  write: () => ({ ...say(slowText), pace: { pieces: [3, 1, 4, 2, 5], milliseconds: 30 } }),
};

/** The model `long` does the same with any prompt. */
export const long: Topic = {
  example: 'a long answer',
  description: 'a field guide to Loom, several pages of Markdown',
  pattern: /\blong (?:answer|text|one)\b|\bessay\b|\bguide\b/iu,
  write: () => ({ ...say(longText), pace: { pieces: [13, 29, 7, 41, 18], milliseconds: 8 } }),
};

const thinking: Topic = {
  example: 'think about it',
  description: 'thinking before the answer, signed like that of the large models',
  pattern: /\b(?:think|thinking|reason|reasoning|puzzle)\b/iu,
  write: () =>
    thinkFirst(
      passage(
        'Three threads of different lengths, two cuts. How many pieces?',
        '',
        'Each cut of one thread makes one piece more: 3 + 2 = 5.',
        'But both cuts could go through all three threads at once: then each thread falls into three pieces, 9 in all.',
        'The question does not say which. I should give both answers.',
      ),
      say(
        passage(
          'I asked myself how many pieces three threads make after two cuts.',
          '',
          '- **5**, if each cut goes through one thread;',
          '- **9**, if each goes through all of them.',
          '',
          'What I thought on the way is above. It goes back to me with your next message, unless you edit what came before it.',
        ),
      ),
    ),
};

const code: Topic = {
  example: 'show me some code',
  description: 'code in the text, and a code block of its own',
  pattern: /\b(?:code|function|program|typescript|python)\b/iu,
  write: () =>
    say(
      passage(
        'Here is a function that weaves two lists into one:',
        '',
        '```ts',
        '/** Takes from both lists in turns; what is left of the longer one comes last. */',
        'export function weave<T>(warp: readonly T[], weft: readonly T[]): T[] {',
        '  const length = Math.max(warp.length, weft.length);',
        '  return Array.from({ length }, (_, at) => [...warp.slice(at, at + 1), ...weft.slice(at, at + 1)]).flat();',
        '}',
        '```',
        '',
        'Use it like this: `weave([1, 3], [2, 4, 6])` is `[1, 2, 3, 4, 6]`. And the same for Python, as a block of its own:',
      ),
      {
        type: 'whole',
        block: {
          type: 'code',
          language: 'python',
          filename: 'weave.py',
          content: passage(
            'from itertools import chain, zip_longest',
            '',
            'def weave(warp, weft, nothing=object()):',
            '    pairs = zip_longest(warp, weft, fillvalue=nothing)',
            '    return [item for item in chain.from_iterable(pairs) if item is not nothing]',
            '',
          ),
        },
      },
    ),
};

const markdown: Topic = {
  example: 'markdown',
  description: 'headings, lists, a table, a quotation, code',
  pattern: /\b(?:markdown|table|headings?)\b/iu,
  write: () =>
    say(
      passage(
        '# Markdown, as it streams',
        '',
        'Words can be *slanted*, **strong**, ***both***, ~~gone~~ or `code`, and they can [lead somewhere](https://example.org/).',
        '',
        '## Lists',
        '',
        '- warp',
        '- weft',
        '  - over',
        '  - under',
        '    1. first this',
        '    2. then that',
        '- [x] done',
        '- [ ] still to do',
        '',
        '## A table',
        '',
        '| thread | colour | length |',
        '| :--- | :---: | ---: |',
        '| warp | blue | 120 |',
        '| weft | red `\\|` yellow | 80 |',
        '',
        '## Quoted, and fenced',
        '',
        '> One thread is a line.  ',
        '> Two are a crossing.',
        '',
        '````md',
        '```',
        'a fence inside a fence',
        '```',
        '````',
        '',
        '---',
        '',
        'And <b>this</b> is text, not HTML.',
      ),
    ),
};

const unicode: Topic = {
  example: 'emoji',
  description: 'writing systems and emoji, cut in awkward places',
  pattern: /\bemojis?\b|\bunicode\b/iu,
  write: () =>
    say(
      passage(
        'All of this arrives in small pieces, and whole:',
        '',
        '- 🧵🪡 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇵🇹',
        '- Ångström, naïve, ﬁne; e\u0301 is é',
        '- 織る · 직물 · ткань · ύφασμα · नमस्ते · ผ้าทอ',
        '- שלום · مرحبا',
        '- 𝒷𝓁𝒶𝒸𝓀𝒷ℴ𝒶𝓇𝒹 𝕓𝕠𝕝𝕕 𠜎𠜱',
        '- a line end of two characters:\r\n  and on it goes',
      ),
    ),
};

/** In search order. */
export const writingTopics: readonly Topic[] = [code, markdown, unicode, thinking, slow, long];
