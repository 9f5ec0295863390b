import type { PlainObject } from '@loom/blocks';
import type { ProviderCall, ProviderEvent } from '@loom/kernel';
import type { AppServer } from './app-server.ts';
import type { CodexQuestion } from './questions.ts';

/** A question that has no call of its own in the main conversation. */
interface Aside {
  readonly id: number | string;
  /** The thread of the sub-agent that asks; `undefined` for a further question about one call. */
  readonly from: string | undefined;
  readonly method: string;
  readonly params: PlainObject;
  readonly question: CodexQuestion;
}

/**
 * Puts questions of sub-agents, and further ones about a call, into the main conversation, each as a call of its own: conversations of
 * sub-agents cannot ask. They wait while words are being written.
 */
export class AsideQuestions {
  readonly #server: Pick<AppServer, 'answer' | 'nudge'>;
  readonly #call: Pick<ProviderCall, 'decide'>;
  readonly #isWriting: () => boolean;
  readonly #waiting: Aside[] = [];
  readonly #said: ProviderEvent[] = [];

  constructor(
    { server, call }: { server: Pick<AppServer, 'answer' | 'nudge'>; call: Pick<ProviderCall, 'decide'> },
    isWriting: () => boolean,
  ) {
    this.#server = server;
    this.#call = call;
    this.#isWriting = isWriting;
  }

  add(aside: Aside): void {
    this.#waiting.push(aside);
  }

  /** Returns the events of the questions that can be asked now, and of those that were decided. */
  *ask(): Generator<ProviderEvent> {
    yield* this.#said.splice(0);
    if (this.#isWriting()) return;
    for (const aside of this.#waiting.splice(0)) {
      const { id, from, method, params, question } = aside;
      const name = `question ${String(id)}`;
      const asked = { ...(from === undefined ? {} : { asked_by: from }), method };
      const parameters = question.ask.kind === 'question' ? {} : shownParameters(params);
      const block = {
        type: 'tool-use' as const,
        id: name,
        name: toolOf(method),
        parameters,
        provider: { codex: asked },
      };
      yield { type: 'block', message: name, role: 'assistant', block };
      void this.#decide(name, aside);
    }
  }

  async #decide(name: string, { id, question }: Aside): Promise<void> {
    try {
      const approval = await this.#call.decide(name, question.ask);
      this.#server.answer(id, question.reply(approval));
      const text = approval.decision === 'denied' ? 'Codex was told no.' : 'Codex was told so.';
      const result = { type: 'block' as const, message: `${name} answer`, role: 'tool' as const, tool_call_id: name };
      this.#said.push({ ...result, block: { type: 'text', text } });
      this.#server.nudge();
    } catch {
      this.#server.answer(id, question.refusal);
    }
  }
}

/** The parameters that a decision is bound to: what Codex says that it will do. */
function shownParameters({ command, cwd, reason, permissions, message }: PlainObject): PlainObject {
  const shown = { command, cwd, reason, permissions, message };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined && value !== null));
}

function toolOf(method: string): string {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return 'exec_command';
    case 'item/fileChange/requestApproval':
      return 'apply_patch';
    case 'item/tool/requestUserInput':
      return 'request_user_input';
    default:
      return 'ask';
  }
}
