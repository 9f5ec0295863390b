import type { PermissionQuestion } from '@loom/exchange/claude-code';
import type { Approval, ProviderCall } from '@loom/kernel';
import { askOf, denial, responseTo } from './permission-ask.ts';
import type { ClaudeProcess } from './claude-process.ts';

/** Puts the questions of a turn to a person, each call once: a program that asks again about the same call gets the same decision. */
export class AskedCalls {
  readonly #process: Pick<ClaudeProcess, 'answer'>;
  readonly #call: Pick<ProviderCall, 'decide' | 'signal'>;
  readonly #asked = new Map<string, { exact: string; approval: Promise<Approval> }>();

  constructor(process: Pick<ClaudeProcess, 'answer'>, call: Pick<ProviderCall, 'decide' | 'signal'>) {
    this.#process = process;
    this.#call = call;
  }

  /** Puts a question about a call of the conversation to a person, and answers the program. Returns true if the call may run. */
  async ask(question: PermissionQuestion, call: string): Promise<boolean> {
    const exact = JSON.stringify([question.tool, question.input]);
    const before = this.#asked.get(call);
    // A decision is bound to the exact arguments.
    if (before !== undefined && before.exact !== exact) {
      this.#process.answer(question.id, denial('This call was asked about before, with other arguments.'));
      return false;
    }
    try {
      const asked = before ?? { exact, approval: this.#call.decide(call, askOf(question)) };
      this.#asked.set(call, asked);
      const approval = await asked.approval;
      this.#process.answer(question.id, responseTo(question, approval));
      return approval.decision !== 'denied';
    } catch (error) {
      // A turn that was stopped is interrupted as a whole.
      if (!this.#call.signal.aborted)
        this.#process.answer(question.id, denial(`No person could be asked: ${String(error)}`));
      return false;
    }
  }
}
