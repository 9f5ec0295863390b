import { findKeys, maskSecret } from '@loom/blocks';
import { shortName } from '../forest-view/node-line.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { styleFor } from '../terminal/style.ts';
import { wrapWidth, type LineHistory, type Talk, type Terminal } from '../terminal/terminal.ts';
import type { PendingCall } from './call-book.ts';
import { renderAsked } from './drawing/asked-lines.ts';
import { childLines } from './drawing/child-lines.ts';
import { Column } from './drawing/column.ts';
import type { Conversation, SaidContent } from './conversation.ts';
import { AskDialog } from './input/ask-dialog.ts';
import { completeSlashCommand, runSlashCommand, stopAnswer } from './commands/slash-commands.ts';
import type { ChatScreen, CompletionSubject } from './commands/slash-commands.ts';
import { TurnOrder } from './turn-order.ts';
import { TurnPrinter } from './drawing/turn-printer.ts';

/**
 * Talks until the person leaves. Lines of a keyboard steer a turn that is running; lines of a pipe are queued. `first` is said before
 * anything is read.
 */
export async function converse(conversation: Conversation, screen: ChatScreen, first?: FirstWords): Promise<ExitCode> {
  return new InteractiveChat(conversation, screen).run(first);
}

/** The first message of a chat, and its text as shown. */
export interface FirstWords {
  text: string;
  content: SaidContent;
}

/** Opens the two ends of a terminal chat. */
export async function openScreen(
  terminal: Terminal,
  subject: CompletionSubject,
  history: LineHistory,
): Promise<{ talk: Talk; column: Column }> {
  const talk = await terminal.talk({ history, complete: (line) => completeSlashCommand(line, subject) });
  const isScreen = terminal.screen.isOut;
  return { talk, column: new Column(talk.write, styleFor(terminal, 'out'), isScreen, () => wrapWidth(terminal)) };
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
  #line: Promise<Happening> | undefined;
  #asked: string | undefined;
  /** The questions to the person about the call at hand. */
  #dialog: AskDialog | undefined;
  #isPrompted = false;
  #isLeaving = false;
  /** Lines of a message that goes on in the next one. */
  #unfinished = '';
  /** An answer has come since it was last looked how much room is left for more. */
  #isRoomUnknown = false;
  /** A message that has something like a key in it, until the person has said whether it is to be sent. */
  #withheld: string | undefined;
  /** The message at hand has no answer, and an empty line asks for one. */
  #offersAnswer = false;
  /** A turn has reached a spending limit, and an empty line lets it go on. */
  #offersMore = false;

  constructor(conversation: Conversation, screen: ChatScreen) {
    this.#conversation = conversation;
    this.#screen = screen;
    const { column } = screen;
    this.#printer = new TurnPrinter({
      answer: column,
      aside: column,
      calls: conversation.calls,
      hasSummary: screen.talk.isKeyboard,
      folder: () => this.#conversation.directory,
    });
    const order = new TurnOrder(
      (event) => this.#printer.hear(event),
      (turn) => this.#printer.announce(turn),
    );
    conversation.listener = (event) => {
      if (event.type === 'turn-started') this.#withdrawPrompt();
      order.hear(event);
      // A summary makes room; if it does not, another one would not either.
      if (event.type === 'turn-ended') this.#offersMore = event.reason === 'limit';
      if (event.type === 'turn-ended' && event.reason === 'limit')
        this.#printer.remark('(press Enter to let it spend as much again, or say something else)');
      if (event.type === 'turn-ended' && event.reason === 'done') this.#isRoomUnknown = !conversation.isCompacting;
    };
    conversation.childListener = childLines((line) => this.#printer.tellChild(line));
    conversation.overheard = (text) => this.#showSaid(text);
  }

  async run(first?: FirstWords): Promise<ExitCode> {
    const { terminal, talk, column } = this.#screen;
    const interrupts = new InterruptCount();
    const stopListening = terminal.onInterrupt(() => interrupts.add());
    try {
      for (const { call, ask } of this.#conversation.calls.pending) column.addLines(renderAsked(call, ask));
      await this.#reporting(() => this.#begin(first));
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

  /** Sends the first message, if there is one; else offers to answer a message that nothing has answered yet. */
  async #begin(first: FirstWords | undefined): Promise<void> {
    const { talk } = this.#screen;
    if (first !== undefined) {
      this.#showSaid(first.text);
      return this.#conversation.say(first.content);
    }
    const unanswered = await this.#conversation.unanswered();
    if (unanswered === undefined) return;
    if (!talk.isKeyboard) return this.#conversation.retry();
    this.#offersAnswer = true;
    this.#printer.remark(`(${shortName(unanswered.id)} has no answer yet: press Enter to get one)`);
  }

  /** Shows a message that was not typed here. */
  #showSaid(text: string): void {
    const { column } = this.#screen;
    this.#withdrawPrompt();
    column.startParagraph();
    column.addLines(text.split('\n').map((line) => ({ text: `> ${line}`, tone: 'faint' })));
  }

  /** An answer begins that was asked for in another terminal. */
  #withdrawPrompt(): void {
    if (this.#isPrompted) this.#screen.talk.withdraw();
    this.#isPrompted = false;
  }

  /** Asks the next question: about a call, or for the next message. */
  #prompt(): void {
    const { talk, column } = this.#screen;
    const [pending] = this.#conversation.calls.pending;
    if (pending !== undefined) {
      if (this.#asked !== pending.node) {
        column.startLine();
        const dialog = this.#dialogAbout(pending);
        talk.prompt(dialog.prompt, { isQuestion: true });
        if (dialog.refill !== undefined) talk.refill(dialog.refill);
      }
      this.#asked = pending.node;
      return;
    }
    // It was stopped, or decided elsewhere.
    if (this.#asked !== undefined) talk.withdraw({ isQuestion: true });
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
        await this.#reporting(() => this.#watchRoom());
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

  /** Notes that context runs full before it is, or has the conversation summarized where the settings say so. */
  async #watchRoom(): Promise<void> {
    const conversation = this.#conversation;
    if (!this.#isRoomUnknown || conversation.isBusy || conversation.compaction === 'off') return;
    this.#isRoomUnknown = false;
    const share = await conversation.nearlyFull();
    if (share === undefined) return;
    if (conversation.compaction === 'ask') {
      this.#printer.remark(`(${share}. /compact summarizes it; nothing is lost.)`);
      return;
    }
    this.#printer.remark(`(${share}, so it is being summarized. Nothing is lost.)`);
    await conversation.compact();
  }

  async #interrupt(): Promise<ExitCode | undefined> {
    const isBusy = this.#conversation.isBusy;
    if (isBusy) await stopAnswer(this.#conversation, this.#screen, this.#isLeaving ? 'leaving' : 'staying');
    if (this.#isLeaving) return EXIT.interrupted;
    this.#isLeaving = true;
    if (!isBusy) this.#printer.remark('(press Ctrl-C again, or type /quit, to leave)');
    return undefined;
  }

  async #hearLine(line: string | undefined): Promise<ExitCode | undefined> {
    const conversation = this.#conversation;
    const [pending] = conversation.calls.pending;
    if (line === undefined) return this.#endOfInput(pending);
    return this.#reporting(async () => {
      if (pending !== undefined && !line.startsWith('/')) await this.#answer(pending, line);
      else if (this.#unfinished === '' && /^\/(?!\/)/.test(line))
        return runSlashCommand(line, conversation, this.#screen);
      else await this.#hearMessage(line);
      return undefined;
    });
  }

  /** Does something; a refusal is shown and does not end the chat. */
  async #reporting<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoomError)) throw error;
      this.#screen.column.addLines([{ text: error.message, tone: 'bad' }]);
      const { advice } = error;
      if (advice !== undefined) this.#screen.column.addLines([{ text: advice, tone: 'faint' }]);
      return undefined;
    }
  }

  async #hearMessage(line: string): Promise<void> {
    const typed = this.#unfinished + (this.#unfinished === '' ? line.replace(/^\/\//, '/') : line);
    const text = this.#releasedBy(typed) ?? typed;
    this.#unfinished = text.endsWith('\\') ? `${text.slice(0, -1)}\n` : '';
    if (this.#unfinished !== '') return;
    const [isOffered, isMoreOffered] = [this.#offersAnswer, this.#offersMore];
    this.#offersAnswer = false;
    this.#offersMore = false;
    if (text.trim() === '') {
      if (isMoreOffered && !this.#conversation.isBusy) return this.#conversation.goBeyond();
      if (isOffered && !this.#conversation.isBusy) await this.#conversation.retry();
      return;
    }
    if (text === typed && this.#withholds(text)) return;
    const content = await this.#screen.attach(text);
    if (this.#conversation.isBusy) await this.#conversation.steer(content);
    else await this.#conversation.say(content);
  }

  /** Asks before something that looks like a key is sent. A pipe has no person to ask. */
  #withholds(text: string): boolean {
    const keys = this.#screen.talk.isKeyboard ? findKeys(text) : [];
    if (keys.length === 0) return false;
    this.#withheld = text;
    const names = keys.map(maskSecret).join(', ');
    this.#printer.remark(`(${names} looks like a key, so this was not sent. Type y to send it anyway.)`);
    return true;
  }

  /** The message that was withheld, if this line says to send it. Any other line forgets it. */
  #releasedBy(line: string): string | undefined {
    const withheld = this.#withheld;
    this.#withheld = undefined;
    return /^\s*y(?:es)?\s*$/iu.test(line) ? withheld : undefined;
  }

  #dialogAbout(pending: PendingCall): AskDialog {
    if (this.#dialog?.node !== pending.node) this.#dialog = new AskDialog(pending, this.#conversation.directory);
    return this.#dialog;
  }

  async #answer(pending: PendingCall, line: string): Promise<void> {
    this.#asked = undefined;
    const heard = this.#dialogAbout(pending).hear(line);
    if (heard.type === 'again') return this.#screen.column.addLines(heard.lines);
    this.#dialog = undefined;
    await this.#conversation.decide(pending, heard.verdict);
  }

  /** Handles the end of input, after which no person can be asked: running turns are stopped, calls that wait in a pipe's chat are denied. */
  async #endOfInput(pending: PendingCall | undefined): Promise<ExitCode | undefined> {
    const conversation = this.#conversation;
    if (this.#screen.talk.isKeyboard || pending === undefined) {
      if (conversation.isBusy) await stopAnswer(conversation, this.#screen, 'leaving');
      return EXIT.ok;
    }
    const text = 'The input has ended, so this call cannot be decided.';
    await conversation.decide(pending, { decision: 'denied', text });
    return undefined;
  }
}
