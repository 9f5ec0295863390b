import type { PermissionQuestion } from '@loom/exchange/claude-code';
import type { ProviderCall } from '@loom/kernel';
import { DecidedCalls } from '../agent-cli/index.ts';
import { askOf, denial, modeAfter, responseTo } from './permission-ask.ts';
import type { ClaudeProcess } from './claude-process.ts';

type Asked = Pick<ClaudeProcess, 'answer' | 'goOn'>;

/** Puts the questions of a turn to a person, and tells the program what was decided. */
export class AskedCalls {
  readonly #process: Asked;
  readonly #signal: AbortSignal;
  readonly #decided: DecidedCalls;

  constructor(process: Asked, call: Pick<ProviderCall, 'decide' | 'signal'>) {
    this.#process = process;
    this.#signal = call.signal;
    this.#decided = new DecidedCalls(call);
  }

  /** Puts a question about a call of the conversation to a person, and answers the program. Returns true if the call may run. */
  async ask(question: PermissionQuestion, call: string): Promise<boolean> {
    const exact = JSON.stringify([question.tool, question.input]);
    try {
      const approval = await this.#decided.decide(call, exact, askOf(question));
      const response =
        approval === undefined
          ? denial('This call was asked about before, with other arguments.')
          : responseTo(question, approval);
      const mode = approval === undefined ? undefined : modeAfter(question, approval);
      if (mode !== undefined) this.#process.goOn(mode);
      this.#process.answer(question.id, response);
      return approval !== undefined && approval.decision !== 'denied';
    } catch (error) {
      // A turn that was stopped is interrupted as a whole.
      if (!this.#signal.aborted)
        this.#process.answer(question.id, denial(`No person could be asked: ${String(error)}`));
      return false;
    }
  }
}
