import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LoomError } from '../failure.ts';
import { styleFor } from '../style.ts';
import type { Talk, Terminal } from '../terminal.ts';
import type { PendingCall } from './call-book.ts';
import { renderCallInFull } from './cards.ts';
import { Column } from './column.ts';
import type { Conversation } from './conversation.ts';
import { questionFor, readVerdict } from './prompts.ts';
import { runSlashCommand, stopAnswer } from './slash-commands.ts';
import type { ChatScreen } from './slash-commands.ts';
import { TurnPrinter } from './turn-printer.ts';

/** Talks until the person leaves. Lines of a keyboard steer a turn that is running; lines of a pipe wait for their turn. */
export async function converse(conversation: Conversation, screen: ChatScreen): Promise<ExitCode> {
  return new InteractiveChat(conversation, screen).run();
}

/** Opens the two ends of a terminal chat. */
export async function openScreen(terminal: Terminal): Promise<{ talk: Talk; column: Column }> {
  const talk = await terminal.talk();
  return { talk, column: new Column(talk.write, styleFor(terminal, 'out'), terminal.screen.isOut) };
}

type Happening = { type: 'line'; line: string | undefined } | { type: 'change' } | { type: 'interrupt' };

/** Counts Ctrl-C: none is lost, also not one that is pressed while another happening is dealt with. */
class InterruptCount {
  #count = 0;
  #wake: () => void = () => undefined;

  add(): void {
    this.#count += 1;
    this.#wake();
  }

  take(): void {
    this.#count -= 1;
  }

  next(): Promise<Happening> {
    return new Promise((resolve) => {
      this.#wake = () => resolve({ type: 'interrupt' });
      if (this.#count > 0) this.#wake();
    });
  }
}

class InteractiveChat {
  readonly #conversation: Conversation;
  readonly #screen: ChatScreen;
  readonly #printer: TurnPrinter;
  readonly #always = new Set<string>();
  #line: Promise<Happening> | undefined;
  #asked: string | undefined;
  #isPrompted = false;
  #isLeaving = false;
  /** Lines of a message that goes on in the next one. */
  #unfinished = '';

  constructor(conversation: Conversation, screen: ChatScreen) {
    this.#conversation = conversation;
    this.#screen = screen;
    const { column } = screen;
    this.#printer = new TurnPrinter({
      answer: column,
      aside: column,
      calls: conversation.calls,
      hasSummary: screen.talk.isKeyboard,
    });
    conversation.listener = (event) => this.#printer.hear(event);
  }

  async run(): Promise<ExitCode> {
    const { terminal, talk, column } = this.#screen;
    const interrupts = new InterruptCount();
    const stopListening = terminal.onInterrupt(() => interrupts.add());
    try {
      for (const { call } of this.#conversation.calls.pending) column.addLines(renderCallInFull(call));
      for (;;) {
        this.#prompt();
        const happening = await Promise.race([this.#nextLine(), this.#nextChange(), interrupts.next()]);
        if (happening.type === 'interrupt') interrupts.take();
        const code = await this.#react(happening);
        if (code !== undefined) return code;
      }
    } finally {
      stopListening();
      column.startLine();
      talk.close();
    }
  }

  /** Asks what has to be asked now: about a call, or for the next message. */
  #prompt(): void {
    const { talk, column } = this.#screen;
    const [pending] = this.#conversation.calls.pending;
    if (pending !== undefined) {
      if (this.#asked !== pending.node) {
        column.startLine();
        talk.prompt(questionFor(pending));
      }
      this.#asked = pending.node;
      return;
    }
    this.#asked = undefined;
    if (this.#conversation.isBusy) this.#isPrompted = false;
    else if (!this.#isPrompted) {
      if (talk.isKeyboard && this.#unfinished === '') column.startParagraph();
      talk.prompt(this.#unfinished === '' ? '> ' : '… ');
      this.#isPrompted = true;
    }
  }

  #nextLine(): Promise<Happening> {
    const { talk } = this.#screen;
    const isWanted = talk.isKeyboard || !this.#conversation.isBusy || this.#conversation.calls.pending.length > 0;
    if (!isWanted) return new Promise(() => undefined);
    this.#line ??= talk.next().then((line) => ({ type: 'line', line }));
    return this.#line;
  }

  async #nextChange(): Promise<Happening> {
    await this.#conversation.changed();
    return { type: 'change' };
  }

  async #react(happening: Happening): Promise<ExitCode | undefined> {
    switch (happening.type) {
      case 'change':
        await this.#approveAlways();
        return undefined;
      case 'interrupt':
        return this.#interrupt();
      case 'line':
        this.#line = undefined;
        this.#isLeaving = false;
        this.#isPrompted = false;
        if (this.#screen.talk.isKeyboard) this.#screen.column.noteTypedLine();
        return this.#hearLine(happening.line);
    }
  }

  async #interrupt(): Promise<ExitCode | undefined> {
    const isBusy = this.#conversation.isBusy;
    if (isBusy) await stopAnswer(this.#conversation, this.#screen.column);
    if (this.#isLeaving) return EXIT.interrupted;
    this.#isLeaving = true;
    if (!isBusy) this.#printer.remark('(press Ctrl-C again, or type /quit, to leave)');
    return undefined;
  }

  async #hearLine(line: string | undefined): Promise<ExitCode | undefined> {
    const conversation = this.#conversation;
    const [pending] = conversation.calls.pending;
    if (line === undefined) return this.#endOfInput(pending);
    try {
      if (pending !== undefined && !line.startsWith('/')) await this.#answer(pending, line);
      else if (this.#unfinished === '' && /^\/(?!\/)/.test(line))
        return await runSlashCommand(line, conversation, this.#screen);
      else await this.#hearMessage(line);
    } catch (error) {
      // A refusal is no reason to end the chat.
      if (!(error instanceof LoomError)) throw error;
      this.#screen.column.addLines([{ text: error.message, tone: 'bad' }]);
      if (error.advice !== undefined) this.#screen.column.addLines([{ text: error.advice, tone: 'faint' }]);
    }
    return undefined;
  }

  async #hearMessage(line: string): Promise<void> {
    const text = this.#unfinished + (this.#unfinished === '' ? line.replace(/^\/\//, '/') : line);
    this.#unfinished = text.endsWith('\\') ? `${text.slice(0, -1)}\n` : '';
    if (this.#unfinished !== '' || text.trim() === '') return;
    if (this.#conversation.isBusy) await this.#conversation.steer(text);
    else await this.#conversation.say(text);
  }

  async #answer(pending: PendingCall, line: string): Promise<void> {
    this.#asked = undefined;
    const verdict = readVerdict(pending, line);
    if (verdict === undefined) return;
    if (verdict.isAlways === true) this.#always.add(pending.call.name);
    await this.#conversation.decide(pending, verdict.decision, verdict.text);
    await this.#approveAlways();
  }

  async #approveAlways(): Promise<void> {
    for (const pending of this.#conversation.calls.pending) {
      if (this.#always.has(pending.call.name)) await this.#conversation.decide(pending, 'approved');
    }
  }

  /** No person can be asked any more: what is running is stopped, what waits in a pipe's chat is denied. */
  async #endOfInput(pending: PendingCall | undefined): Promise<ExitCode | undefined> {
    const conversation = this.#conversation;
    if (this.#screen.talk.isKeyboard || pending === undefined) {
      if (conversation.isBusy) await stopAnswer(conversation, this.#screen.column);
      return EXIT.ok;
    }
    await conversation.decide(pending, 'denied', 'The input has ended, so this call cannot be decided.');
    return undefined;
  }
}
