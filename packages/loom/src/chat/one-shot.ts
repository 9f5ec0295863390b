import type { FeedEvent } from '@loom/kernel';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { count } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { wrapWidth, type Terminal } from '../terminal/terminal.ts';
import type { PendingCall } from './call-book.ts';
import { childLines } from './drawing/child-lines.ts';
import { Column, showControls } from './drawing/column.ts';
import type { Conversation, SaidContent } from './conversation.ts';
import { JsonEvents } from './drawing/json-events.ts';
import { TurnOrder } from './turn-order.ts';
import { TurnPrinter } from './drawing/turn-printer.ts';
import { suggest } from '../command-line/suggested-command.ts';

export interface OneShotOptions {
  terminal: Terminal;
  isJson: boolean;
  /** Approves every call; otherwise every call that asks is denied. */
  isApproving: boolean;
  /** The advice about a call that was denied; by default to approve all, or to ask. */
  advice?: string;
}

/**
 * Sends one message, or has the answer at hand go on from its end, shows the answer and ends. The answer goes to stdout, everything else to
 * stderr; Ctrl-C stops it.
 */
export async function askOnce(
  conversation: Conversation,
  content: SaidContent | undefined,
  options: OneShotOptions,
): Promise<ExitCode> {
  const { terminal, isJson } = options;
  const show = isJson ? showJson(conversation, terminal) : showText(conversation, terminal);
  const end = await answerOnce(
    conversation,
    () => (content === undefined ? conversation.answer() : conversation.say(content)),
    show,
    options,
  );
  if (isJson) terminal.out(`${JSON.stringify({ root: conversation.root, node: conversation.place })}\n`);
  return codeOf(end, options);
}

/** Has the message at hand answered, shows the answer and ends, as `askOnce` does. With --json the caller reports the result. */
export async function retryOnce(conversation: Conversation, options: OneShotOptions): Promise<ExitCode> {
  const show = options.isJson ? () => undefined : showText(conversation, options.terminal);
  return codeOf(await answerOnce(conversation, () => conversation.retry(), show, options), options);
}

/**
 * Has a task done without a person to ask: what needs one is denied. The exit code tells how it ended; with --json the last line does, too.
 */
export async function runOnce(
  conversation: Conversation,
  content: SaidContent,
  { terminal, isJson }: Pick<OneShotOptions, 'terminal' | 'isJson'>,
): Promise<ExitCode> {
  const show = isJson ? showJson(conversation, terminal) : showText(conversation, terminal);
  const options = { terminal, isJson, isApproving: false, advice: runAdvice() };
  const end = await answerOnce(conversation, () => conversation.say(content), show, options);
  const outcome = outcomeOf(end);
  const { root, place: node } = conversation;
  const { error } = end.ending ?? {};
  const told = { outcome, denied: end.denied, ...(outcome === 'done' || error === undefined ? {} : { error }) };
  if (isJson) terminal.out(`${JSON.stringify({ root, node, ...told })}\n`);
  else if (outcome !== 'done') terminal.note(`loom: ${outcomeWords(outcome, end, node)}\n`);
  return EXIT[outcome === 'done' ? 'ok' : outcome];
}

type RunOutcome = 'done' | 'denied' | 'limit' | 'failed' | 'interrupted';

function outcomeOf({ ending, isInterrupted, denied }: OneEnd): RunOutcome {
  if (isInterrupted) return 'interrupted';
  if (ending?.reason === 'limit') return 'limit';
  if (ending?.reason !== 'done') return 'failed';
  return denied > 0 ? 'denied' : 'done';
}

function outcomeWords(
  outcome: Exclude<RunOutcome, 'done'>,
  { ending, denied }: OneEnd,
  node: string | undefined,
): string {
  const goOn = `${suggest('chat --continue')} goes on from there`;
  switch (outcome) {
    case 'denied':
      return `${count(denied, 'call')} denied, so the task may not be finished; ${goOn}`;
    case 'limit':
      return `stopped at a spending limit; ${suggest(`approvals allow ${node ?? ''}`)} lets it go on`;
    case 'interrupted':
      return `interrupted; ${goOn}`;
    case 'failed':
      return `not finished (${ending?.error?.code ?? ending?.reason ?? 'failed'}); ${goOn}`;
  }
}

/** Says how a call can be allowed where no person is asked. */
function runAdvice(): string {
  return `Nothing is asked here. A rule may allow it (${suggest('approvals')}), or a freer --mode`;
}

interface OneEnd {
  ending?: Extract<FeedEvent, { type: 'turn-ended' }> | undefined;
  isInterrupted: boolean;
  /** The number of calls that were denied here. */
  denied: number;
}

async function answerOnce(
  conversation: Conversation,
  begin: () => Promise<void>,
  show: (event: FeedEvent) => void,
  options: OneShotOptions,
): Promise<OneEnd> {
  const { terminal } = options;
  let ending: Extract<FeedEvent, { type: 'turn-ended' }> | undefined;
  let isInterrupted = false;
  let denied = 0;
  conversation.listener = (event) => {
    if (event.type === 'turn-ended') ending = event;
    show(event);
  };
  const stopListening = terminal.onInterrupt(() => {
    isInterrupted = true;
    // A failure here shows where the end of the turn is awaited.
    conversation.abort().catch(() => {});
  });
  try {
    // Calls that were waiting when the last process ended come before anything new can be said.
    denied += await answerAll(conversation, options);
    if (!isInterrupted) await begin();
    denied += await answerAll(conversation, options);
    if (ending?.reason === 'done' && !isInterrupted) await makeRoom(conversation, options);
  } finally {
    stopListening();
  }
  return { ending, isInterrupted, denied };
}

/** Notes that context runs full before it is, or has the conversation summarized where the settings say so. */
async function makeRoom(conversation: Conversation, options: OneShotOptions): Promise<void> {
  const { terminal } = options;
  if (conversation.compaction === 'off') return;
  const used = await conversation.nearlyFull();
  if (used === undefined) return;
  if (conversation.compaction === 'ask') {
    terminal.note(
      `loom: ${used}. /compact in ${suggest('chat --continue')} has all this summed up; nothing is lost.\n`,
    );
    return;
  }
  terminal.note(`loom: ${used}, so it is being summarized. Nothing is lost.\n`);
  // The answer was shown; its summary is for the model.
  conversation.listener = () => {};
  await conversation.compact();
  await answerAll(conversation, options);
}

function codeOf({ ending, isInterrupted }: OneEnd, { isJson }: OneShotOptions): ExitCode {
  if (isInterrupted) return EXIT.interrupted;
  if (ending?.reason === 'done') return EXIT.ok;
  // The events have informed a program already.
  if (isJson) return EXIT.failed;
  throw new LoomError(ending?.error?.code ?? ending?.reason ?? 'failed', 'the answer is not complete', {
    advice: `What was said is kept: ${suggest('chat --continue')} goes on from there.`,
  });
}

/** Decides about everything that waits, until the answer is over. Returns the number of calls that were denied. */
async function answerAll(
  conversation: Conversation,
  { terminal, isApproving, isJson, advice }: OneShotOptions,
): Promise<number> {
  let denied = 0;
  while (conversation.isBusy) {
    const change = conversation.changed();
    for (const pending of conversation.calls.pending) {
      const mayRun = isApproving && pending.ask.kind === 'ask';
      await conversation.decide(pending, mayRun ? { decision: 'approved' } : { decision: 'denied', text: noDecision });
      if (!mayRun) denied += 1;
      if (!mayRun && !isJson) terminal.note(showControls(deniedNote(pending, advice)));
    }
    await change;
  }
  return denied;
}

/** Words a denied call, and how it can be answered. */
function deniedNote({ call: { name }, ask }: PendingCall, advice: string | undefined): string {
  if (advice !== undefined) return `loom: denied ${name}, which needs a person. ${advice}.\n`;
  if (ask.kind === 'ask') {
    return `loom: denied ${name}, which needs permission. --yes approves every call; ${suggest('chat')} asks you.\n`;
  }
  return `loom: ${name} asked this, and -p cannot answer. Say it in the next message (${suggest('chat --continue -p')} …), or let ${suggest('chat')} ask you.\n`;
}

const noDecision = 'This call needs the permission of a person, and none can be asked. Go on without it.';

function showJson(conversation: Conversation, terminal: Terminal): (event: FeedEvent) => void {
  const events = new JsonEvents();
  const children = new Map<string, JsonEvents>();
  conversation.childListener = {
    hear(child, event) {
      const known = children.get(child) ?? new JsonEvents();
      children.set(child, known);
      // The child may be over before its feed opens: the result of the call shows that in any case.
      if (event.type === 'turn-started' || event.type === 'turn-ended') return;
      for (const told of known.step(event)) terminal.out(`${JSON.stringify({ ...told, child })}\n`);
    },
    end: (child) => children.delete(child),
  };
  return (event) => {
    for (const told of events.step(event)) terminal.out(`${JSON.stringify(told)}\n`);
  };
}

function showText(conversation: Conversation, terminal: Terminal): (event: FeedEvent) => void {
  const { screen } = terminal;
  const width = (): number => wrapWidth(terminal);
  const answer = new Column(terminal.out, styleFor(terminal, 'out'), screen.isOut, width);
  const aside = new Column(terminal.note, styleFor(terminal, 'note'), screen.isNote, width);
  const printer = new TurnPrinter({
    answer,
    aside,
    calls: conversation.calls,
    folder: () => conversation.directory,
  });
  conversation.childListener = childLines((line) => printer.tellChild(line));
  const order = new TurnOrder(
    (event) => printer.hear(event),
    (turn) => printer.announce(turn),
  );
  return (event) => order.hear(event);
}
