import { longText, slowText } from './long-texts.ts';
import type { Reading } from './reading.ts';
import { passage, quote, say } from './script.ts';
import type { Script } from './script.ts';
import type { Topic } from './topic.ts';

const hello: Topic = {
  example: 'hello',
  description: 'a greeting',
  pattern: /^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|hallo|bonjour|hola)\b/iu,
  write: greet,
};

/** The first thing that a new user reads. */
export function greet({ heard, hasSystemPrompt }: Reading): Script {
  if (heard.length > 1) return say('Hello again! We are still in the same conversation. Where shall we go from here?');
  return say(
    passage(
      '**Hello, and welcome to Loom!** I am its demo: a scripted model that needs no key and no network.',
      '',
      'Three things to try:',
      '',
      '1. Say **give me the tour** to see tools, approvals, a file change and sources in one turn.',
      '2. Edit what you said, or fork from here: this answer stays, and a new branch grows beside it.',
      '3. Say **help** for everything else that I react to.',
      ...(hasSystemPrompt ? ['', 'I see that this conversation has a system prompt. Real models will follow it.'] : []),
    ),
  );
}

const echo: Topic = {
  example: 'echo one two three',
  description: 'exactly your words',
  pattern: /^echo\s/iu,
  write: ({ said }) => say(said.replace(/^\s*echo\s/iu, '')),
};

const context: Topic = {
  example: 'what do you see?',
  description: 'what reaches the model on this branch: try it after an edit or a fork',
  pattern: /\bwhat (?:do|can) you (?:see|know|remember)\b|\bwhat did i say\b|\bcontext\b|\bremember\b/iu,
  write: ({ heard, hasSystemPrompt }) => {
    const shown = heard
      .slice(-12)
      .map((text, index) => `${Math.max(0, heard.length - 12) + index + 1}. ${quote(text)}`);
    const count = heard.length === 1 ? 'one message' : `${heard.length} messages`;
    return say(
      passage(
        `On this branch I see ${count} of yours and ${hasSystemPrompt ? 'a' : 'no'} system prompt:`,
        '',
        ...shown,
        '',
        'What you said on other branches, or left out, does not reach me.',
      ),
    );
  },
};

/** Continues a long text that was cut off; also chosen if a history ends with a model message. */
export const goOn: Topic = {
  example: 'go on',
  description: 'the rest of an answer that was cut off',
  pattern: /^\W*(?:go on|continue|carry on)\b/iu,
  write: ({ answered }) => {
    const cut = [slowText, longText].find((text) => answered !== '' && text !== answered && text.startsWith(answered));
    return say(cut === undefined ? 'I had said all that I wanted to say. What next?' : cut.slice(answered.length));
  },
};

const arithmetic: Topic = {
  example: 'what is 6 * 7?',
  description: 'a calculation',
  pattern:
    /^(?:what is|what's|how much is|calculate)?\s*-?\d{1,9}(?:\.\d{1,6})?\s*[-+*/x×÷]\s*-?\d{1,9}(?:\.\d{1,6})?\s*[=?]*\s*$/iu,
  write: ({ said }) => {
    const [, left = '', sign = '', right = ''] =
      /(-?\d+(?:\.\d+)?)\s*([-+*/x×÷])\s*(-?\d+(?:\.\d+)?)/u.exec(said) ?? [];
    const result = calculate(Number(left), sign, Number(right));
    return say(
      Number.isFinite(result)
        ? `${left} ${sign} ${right} = **${Number(result.toPrecision(12))}**`
        : 'Nobody can divide by zero, and neither can I.',
    );
  },
};

function calculate(left: number, sign: string, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '/' || sign === '÷' ? left / right : left * right;
}

const branching: Topic = {
  example: 'how do branches work?',
  description: 'forks, edits and undo in a few lines',
  pattern: /\b(?:branch(?:es|ing)?|fork(?:s|ing)?|undo|editing)\b/iu,
  write: () =>
    say(
      passage(
        'In Loom nothing that was said is lost:',
        '',
        '- **Edit** an earlier message and a branch opens there; the old one stays.',
        '- **Fork** (`/fork`) goes on from any message without changing it.',
        '- **Look** at the whole tree with `/tree`, or `loom tree` outside of a chat.',
        '- **Undo** (`/undo`) takes back your last change, whether to the tree or to a text.',
        '- **Switch** the model with `/model`, in the middle of a conversation.',
        '',
        'Try it now: fork from your first message, ask something else, then say **what do you see?** on both branches.',
      ),
    ),
};

const identity: Topic = {
  example: 'who are you?',
  description: 'what the demo is, and what it is not',
  pattern: /\bwho are you\b|\bwhat are you\b|\byour name\b|\bare you (?:an? )?(?:ai|human|real|model)\b/iu,
  write: () =>
    say(
      'I am the demo of Loom: a script that looks for keywords and answers from a drawer. I understand nothing, cost nothing ' +
        'and always give the same answer to the same conversation. Everything around me is real: the branches, the log, the ' +
        'approvals. Choose another model with `/model` when you want a model that thinks.',
    ),
};

const wellBeing: Topic = {
  example: 'how are you?',
  description: 'small talk',
  pattern: /\bhow (?:are you|do you do|is it going)\b/iu,
  write: () =>
    say('Very well, thank you: all threads are straight, and nothing is tangled. What shall we weave today?'),
};

const thanks: Topic = {
  example: 'thank you',
  description: 'a kind word back',
  pattern: /\bthanks?\b|\bthank you\b/iu,
  write: () => say('You are welcome! It was a pleasure, as far as a script can tell.'),
};

const farewell: Topic = {
  example: 'bye',
  description: 'a farewell',
  pattern: /^\W*(?:bye|goodbye|see you|farewell)\b/iu,
  write: () => say('Goodbye! This conversation stays where it is; go on with it whenever you like.'),
};

/** Returns the answer to a message without a known keyword. */
export function answerAnything({ said, files }: Reading): Script {
  if (files.length > 0) {
    return say(
      `Thank you for ${files.map((file) => quote(file, 40)).join(', ')}. I have no eyes, but the file is kept as a block of ` +
        'your message, and a model that takes such files will see it.',
    );
  }
  if (said.trim() === '')
    return say('You said nothing, and I have nothing to add. Say **help** if you wonder what to say.');
  const opening = /\?\s*$/u.test(said)
    ? `${quote(said)} is a good question, and a real model would answer it here.`
    : `You said ${quote(said)}, and a real model would take it from there.`;
  return say(
    passage(
      `${opening} I only know what is in my script:`,
      '',
      '- **help** lists everything that I react to,',
      '- **give me the tour** shows tools and approvals,',
      '- **what do you see?** tells what reaches a model on this branch.',
    ),
  );
}

const summary: Topic = {
  example: 'sum up our conversation',
  description: 'what was said so far, in short',
  pattern: /^\W*(?:sum up|summarise|summarize)\b/iu,
  write: ({ heard }) => {
    const before = heard.slice(0, -1).slice(-20);
    if (before.length === 0) return say('Nothing was said before this.');
    return say(passage('Summary of what was said so far:', '', ...before.map((said) => `- You said ${quote(said)}`)));
  },
};

const title: Topic = {
  example: 'give the conversation below a title: …',
  description: 'a title, as Loom asks for one where `defaults.titleModel` is the demo',
  pattern: /^\W*give the conversation below a title\b/iu,
  write: ({ said }) => {
    const [, words = said] = /^user: (.*)$/imu.exec(said) ?? [];
    return say(`About ${quote(words, 40)}`);
  },
};

/** Searched before all others: they are recognized by the beginning of a message. */
export const openingTopics: readonly Topic[] = [summary, title, echo, arithmetic, goOn, farewell];

/** In search order. */
export const talkTopics: readonly Topic[] = [context, identity, branching, wellBeing, hello, thanks];
