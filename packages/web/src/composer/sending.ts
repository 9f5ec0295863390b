import type { Outbox, Queued } from '@loom/client';
import type { ResultOf } from '@loom/kernel';
import type { TurnView } from '@loom/sync';
import { abortTurn } from '../answers/abort-turn.ts';
import type { Loom } from '../app/loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { blocksOf, draftOf, isEmpty } from './attaching/attachments.ts';
import type { Draft } from './attaching/attachments.ts';
import { apartAnswers, chosenModels } from './chosen-model.ts';
import { focusComposer } from './focus.ts';
import { take } from './take-queued.ts';
import { turnOn } from './running-turn.ts';

/** The ways to send a draft. `run`: a model answers; one that is at work hears it at once. */
export type SayMode = 'run' | 'append' | 'queue';

/**
 * Sends the text of the field. It is kept in this browser until the server has it, so that a cut of the network or a reload loses nothing;
 * a refused message comes back into the field.
 */
export async function say(loom: Loom, mode: SayMode): Promise<void> {
  const { composer } = loom;
  // The message of a page that has just been opened stays in the field until its place is known; what is typed behind it is not part of it.
  const early = composer.draft.getSnapshot();
  if (!(await afterTheLast(composer)) || !composer.draft.getSnapshot().text.startsWith(early.text)) return;
  const open = loom.conversation.getSnapshot();
  if (open !== undefined && !(await untilLoaded(loom, open))) return;
  const turn = open && runningTurn(open);
  if (open !== undefined && turn !== undefined && mode !== 'append' && composer.rewritten.getSnapshot() === undefined) {
    const name = mode === 'queue' ? 'turn.queue' : 'turn.steer';
    await tellTurn(loom, { root: open.root, turn: turn.turn }, name, composer.take(early));
    return;
  }
  const draft = composer.take(early);
  composer.isSending.set(true);
  let answers: Promise<void>;
  try {
    await loom.models.ready();
    await loom.tools.ready();
    const outbox = await loom.outbox;
    const conversation = loom.conversation.getSnapshot();
    const saying = { loom, outbox, draft, mode };
    ({ answers } = conversation === undefined ? await begin(saying) : await goOn(saying, conversation));
  } catch (error) {
    composer.giveBack(draft);
    throw error;
  } finally {
    composer.isSending.set(false);
  }
  await answers;
}

/** The composers in which a message waits for the one before it. */
const waiting = new WeakSet<Loom['composer']>();

/** Waits until the server has the message before: the next one follows it, and stays in the field. Returns false if one waits already. */
async function afterTheLast(composer: Loom['composer']): Promise<boolean> {
  const { isSending } = composer;
  if (!isSending.getSnapshot()) return true;
  if (waiting.has(composer)) return false;
  waiting.add(composer);
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = isSending.subscribe(() => {
    if (!isSending.getSnapshot()) resolve();
  });
  await promise;
  stop();
  waiting.delete(composer);
  return true;
}

/** Waits for the end of the branch. Returns false if the conversation is left before. */
async function untilLoaded({ composer }: Loom, open: OpenConversation): Promise<boolean> {
  if (open.isLoaded) return true;
  composer.isSending.set(true);
  try {
    return await open.untilLoaded();
  } finally {
    composer.isSending.set(false);
  }
}

/** Says a text that was written elsewhere than in the field; rejects if the server does not take it. */
export async function sayText(loom: Loom, text: string): Promise<void> {
  await loom.models.ready();
  await loom.tools.ready();
  const outbox = await loom.outbox;
  const open = loom.conversation.getSnapshot();
  if (open === undefined) return;
  const turn = runningTurn(open);
  if (turn !== undefined) {
    const content = [{ type: 'text' as const, text }];
    await take(outbox, outbox.add('turn.steer', { root: open.root, turn: turn.turn, content }, { runs: true }));
    return;
  }
  const saying: Saying = { loom, outbox, draft: { text, attachments: [] }, mode: 'run' };
  const said = append(saying, open.tip);
  if (said === undefined) return;
  const started = start(saying, said.reference('nodes', 0));
  await take(outbox, said);
  await showAnswers(loom, outbox, open.root, started);
}

/** Says something to a turn that runs. Several may be on their way at once. */
async function tellTurn(
  { composer, outbox: opening }: Loom,
  place: { root: string; turn: string },
  name: 'turn.queue' | 'turn.steer',
  draft: Draft,
): Promise<void> {
  if (isEmpty(draft)) return;
  try {
    const outbox = await opening;
    await take(outbox, outbox.add(name, { ...place, content: blocksOf(draft) }, { runs: true }));
  } catch (error) {
    composer.giveBack(draft);
    throw error;
  }
}

interface Saying {
  loom: Loom;
  outbox: Outbox;
  draft: Draft;
  mode: SayMode;
}

/** A message that the server has. `answers` settles later, once a model begins to answer or fails to. */
interface Said {
  answers: Promise<void>;
}

const noAnswers: Said = { answers: Promise.resolve() };

async function begin(saying: Saying): Promise<Said> {
  const { loom, outbox, draft } = saying;
  if (isEmpty(draft)) return noAnswers;
  const { systemPrompt } = loom.models.known.getSnapshot();
  const prompt = systemPrompt === undefined ? {} : { systemPrompt };
  const apart = saying.mode === 'run' && (await isOwner(loom)) ? apartAnswers(loom) : undefined;
  if (apart !== undefined) {
    const { directory, ...rest } = loom.beginning.config();
    const place = directory === undefined ? {} : { directory };
    const [content, config] = [blocksOf(draft), { ...rest, ...prompt }];
    const { question } = await loom.ask('question.ask', { content, config, ...apart, ...place });
    loom.beginning.take();
    loom.go({ name: 'agents', question });
    return noAnswers;
  }
  const config = { ...(await ownChoice(loom)), ...prompt };
  const created = outbox.add('root.create', Object.keys(config).length === 0 ? {} : { config });
  const parent = created.reference('root');
  const said = append(saying, parent);
  const started = said && start(saying, said.reference('nodes', 0));
  const { root } = await take(outbox, created);
  loom.go({ name: 'conversation', root });
  // Also where no field takes the focus unasked.
  focusComposer();
  if (said !== undefined) await take(outbox, said);
  return { answers: showAnswers(loom, outbox, root, started) };
}

/** The folder and mode that an owner has chosen; the conversations of others have the usual ones. */
async function ownChoice(loom: Loom): Promise<ReturnType<Loom['beginning']['take']>> {
  if (!(await isOwner(loom))) return {};
  const { beginning } = loom;
  const folder = beginning.folder.getSnapshot();
  if (folder === '' || !beginning.isInWorktree.getSnapshot()) return beginning.take();
  // Nothing is taken if git refuses.
  const { directory } = await loom.ask('worktree.create', { directory: folder });
  return { ...beginning.take(), directory };
}

async function isOwner(loom: Loom): Promise<boolean> {
  return (await loom.blocks.role().catch(() => 'owner')) === 'owner';
}

async function goOn(saying: Saying, conversation: OpenConversation): Promise<Said> {
  const { loom, outbox, draft } = saying;
  const { root, replica } = conversation;
  const rewritten = loom.composer.rewritten.getSnapshot();
  const parent = rewritten?.parent ?? conversation.tip;
  if (isEmpty(draft) && replica.nodes.get(parent)?.role !== 'user') return noAnswers;
  const said = append(saying, parent);
  const started = start(saying, said?.reference('nodes', 0) ?? parent);
  const {
    nodes: [node],
  } = said === undefined ? { nodes: [] } : await take(outbox, said);
  const here = loom.place.getSnapshot();
  const isNewBranch = here.name === 'conversation' && here.root === root && here.view === 'new';
  if (node !== undefined && (rewritten !== undefined || isNewBranch)) {
    loom.composer.rewritten.set(undefined);
    if (await conversation.until(node)) loom.go({ name: 'conversation', root, node }, { replace: isNewBranch });
  }
  return { answers: showAnswers(loom, outbox, root, started) };
}

/** Lets the chosen models answer. Without one messages are kept all the same; the composer says why no model answers. */
function start({ loom, outbox, mode }: Saying, node: string): Queued<ResultOf<'turn.start'>> | undefined {
  const { models } = loom.models.answerers.getSnapshot();
  if (mode === 'append' || models.length === 0) return undefined;
  return outbox.add('turn.start', { node, ...chosenModels(loom) }, { runs: true });
}

function append({ outbox, draft }: Saying, parent: string): Queued<ResultOf<'node.append'>> | undefined {
  const [first, ...rest] = blocksOf(draft);
  if (first === undefined) return undefined;
  return outbox.add('node.append', { parent, messages: [{ role: 'user', content: [first, ...rest] }] });
}

/** Shows several answers side by side as soon as they begin. */
async function showAnswers(
  loom: Loom,
  outbox: Outbox,
  root: string,
  started: Queued<ResultOf<'turn.start'>> | undefined,
): Promise<void> {
  const { nodes = [] } = started === undefined ? {} : await take(outbox, started);
  const [first] = nodes;
  const conversation = loom.conversation.getSnapshot();
  if (first === undefined || nodes.length < 2 || conversation?.root !== root) return;
  if (!(await conversation.until(first))) return;
  const node = conversation.replica.outline.get(first)?.parent;
  if (node !== undefined) loom.go({ name: 'conversation', root, node, view: 'answers' });
}

function runningTurn({ root, path, watch }: OpenConversation): TurnView | undefined {
  return turnOn(root, path.getSnapshot(), watch.whole.getSnapshot().root.turns);
}

/** Stops the turn on display; messages that waited for it come back into the field. Returns true if there is one. */
export async function stop(loom: Loom): Promise<boolean> {
  const conversation = loom.conversation.getSnapshot();
  const turn = conversation && runningTurn(conversation);
  if (turn === undefined) return false;
  const returned = await abortTurn(loom, conversation?.root ?? '', turn.turn);
  loom.composer.giveBack(draftOf(returned.map(({ blocks }) => blocks)));
  return true;
}
