import { isPlainObject } from '@loom/blocks';
import { dangerOf, offeredScopes } from '@loom/blocks/asking';
import type { OfferedScope } from '@loom/blocks/asking';
import type { Answer, ApprovalMode, ParamsOf, Question } from '@loom/kernel';
import { exactArguments } from '../call-book.ts';
import type { PendingCall } from '../call-book.ts';
import { renderRule } from '../drawing/asked-lines.ts';
import type { Line } from '../drawing/column.ts';

/** A person's decision. */
export type Verdict = Omit<ParamsOf<'turn.decide'>, 'node' | 'arguments'>;

/** The result of a line: a decision, or another question, with something to show before it. */
export type Heard = { type: 'verdict'; verdict: Verdict } | { type: 'again'; lines: readonly Line[] };

type Step = 'first' | 'scope' | 'arguments';

/** Asks a person about one call, line by line, until there is a decision. */
export class AskDialog {
  readonly node: string;
  readonly #pending: PendingCall;
  readonly #scopes: readonly OfferedScope[];
  #step: Step = 'first';
  /** The answers to the questions so far. */
  readonly #answers: Answer[] = [];
  /** Arguments as they stand in the line to be changed. */
  #written = '';

  constructor(pending: PendingCall, folder: string | undefined) {
    this.node = pending.node;
    this.#pending = pending;
    this.#scopes = offeredScopes(folder);
  }

  /** The question that is put now. */
  get prompt(): string {
    const { call, ask } = this.#pending;
    if (ask.kind === 'question') return this.#questionPrompt();
    if (this.#step === 'arguments') return 'Arguments, as JSON (empty goes back): ';
    if (this.#step === 'scope') return scopePrompt(this.#scopes);
    if (ask.modes !== undefined) return planPrompt(ask.modes);
    const always = this.#rules.length > 0 ? '[a]lways…, ' : '';
    return `Run ${call.name}? [y]es, [n]o, ${always}[c]hange it, or say why not: `;
  }

  /** Words to be put into the line, for the person to change. */
  get refill(): string | undefined {
    return this.#step === 'arguments' ? this.#written : undefined;
  }

  hear(line: string): Heard {
    const text = line.trim();
    if (this.#pending.ask.kind === 'question') return this.#hearAnswer(text);
    if (this.#step === 'arguments') return this.#hearArguments(text);
    if (this.#step === 'scope') return this.#hearScope(text);
    return this.#hearVerdict(text);
  }

  get #isDangerous(): boolean {
    return dangerOf(this.#pending.ask.preview) !== undefined;
  }

  get #rules() {
    return this.#isDangerous ? [] : (this.#pending.ask.rules ?? []);
  }

  /** Reads a decision. Only a clear yes is one: anything else is a reason to deny. */
  #hearVerdict(text: string): Heard {
    if (text === '') return again();
    if (/^(?:y|yes)$/i.test(text)) return verdict({ decision: 'approved' });
    if (/^(?:n|no)$/i.test(text)) return verdict({ decision: 'denied' });
    const mode = this.#pending.ask.modes?.find((offered) => offered === text.toLowerCase());
    if (mode !== undefined) return verdict({ decision: 'approved', mode });
    if (this.#pending.ask.modes !== undefined) return verdict({ decision: 'denied', text });
    if (/^(?:c|change)$/i.test(text)) {
      this.#step = 'arguments';
      this.#written = exactArguments(this.#pending.call);
      return again();
    }
    if (!/^(?:a|always)$/i.test(text)) return verdict({ decision: 'denied', text });
    if (this.#rules.length > 0) {
      this.#step = 'scope';
      const offered = this.#scopes.length === 1 ? [] : this.#scopes.map(scopeLine);
      return again(...this.#rules.flatMap(renderRule), ...offered);
    }
    if (this.#isDangerous) return again(hint('This cannot be taken back, so it is allowed once or not at all.'));
    return again(hint('No rule covers this call, so it is allowed once or not at all.'));
  }

  #hearScope(text: string): Heard {
    const chosen = this.#scopes.length === 1 && /^(?:y|yes)$/i.test(text) ? 0 : Number(text) - 1;
    const scope = /^\d+$|^y/i.test(text) ? this.#scopes[chosen]?.scope : undefined;
    if (scope !== undefined) return verdict({ decision: 'approved', scope });
    this.#step = 'first';
    return again();
  }

  #hearArguments(text: string): Heard {
    if (text === '') {
      this.#step = 'first';
      return again();
    }
    const value = readJson(text);
    if (isPlainObject(value)) {
      const isSame = JSON.stringify(value) === JSON.stringify(readJson(exactArguments(this.#pending.call)));
      return verdict({ decision: 'approved', ...(isSame ? {} : { arguments_changed: text }) });
    }
    this.#written = text;
    return again(hint('That is no JSON object, such as {"path": "a.md"}.'));
  }

  #questionPrompt(): string {
    const { questions = [] } = this.#pending.ask;
    const question = questions[this.#answers.length];
    const of = questions.length > 1 ? ` ${this.#answers.length + 1} of ${questions.length}` : '';
    const { choices = [], several } = question ?? {};
    if (choices.length === 0) return `Your answer${of}: `;
    return `Your answer${of} (${several === true ? 'numbers, such as 1,2' : 'a number'}, own words, or - to leave it to the model): `;
  }

  #hearAnswer(text: string): Heard {
    if (text === '') return again();
    const { questions } = this.#pending.ask;
    if (questions === undefined) return verdict({ decision: 'answered', text });
    if (text === '-') return verdict({ decision: 'denied' });
    const question = questions[this.#answers.length];
    const answer = question === undefined ? { text } : readAnswer(question, text);
    if (answer === undefined) return again(hint(`Choose from 1 to ${question?.choices?.length}, or say it in words.`));
    this.#answers.push(answer);
    return this.#answers.length < questions.length
      ? again()
      : verdict({ decision: 'answered', answers: [...this.#answers] });
  }
}

/** Reads an answer: numbers and labels choose, everything else is an answer in words; `undefined` for numbers without a choice. */
function readAnswer({ choices = [], several }: Question, text: string): Answer | undefined {
  const labels = choices.map(({ label }) => label);
  const same = labels.find((label) => label.toLowerCase() === text.toLowerCase());
  if (same !== undefined) return { chosen: [same] };
  const isNumbers = several === true ? /^\d+(?:[\s,]+\d+)*$/.test(text) : /^\d+$/.test(text);
  if (choices.length === 0 || !isNumbers) return { text };
  const numbers = new Set(text.split(/[\s,]+/).map(Number));
  if ([...numbers].some((number) => number < 1 || number > labels.length)) return undefined;
  return { chosen: labels.filter((_label, index) => numbers.has(index + 1)) };
}

function planPrompt([usual, ...others]: readonly ApprovalMode[]): string {
  const more = others.map((mode) => `, “${mode}”`).join('');
  return `Approve the plan? [y]es (mode ${usual})${more}, [n]o, or say what to change: `;
}

function scopePrompt(scopes: readonly OfferedScope[]): string {
  if (scopes.length === 1) return 'Allow it from now on in this conversation? [y]es, or Enter to go back: ';
  return `How far? 1 to ${scopes.length}, or Enter to go back: `;
}

function scopeLine({ label, detail }: OfferedScope, index: number): Line {
  return { text: `    ${index + 1}  ${label}${detail === undefined ? '' : `: ${detail}`}` };
}

function verdict(decided: Verdict): Heard {
  return { type: 'verdict', verdict: decided };
}

function again(...lines: Line[]): Heard {
  return { type: 'again', lines };
}

function hint(text: string): Line {
  return { text: `(${text})`, tone: 'faint' };
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
