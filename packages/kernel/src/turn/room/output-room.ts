import { costSetting } from '../spending/spending-limits.ts';
import { clampMaxTokens, estimateInputTokens, usualOutput } from '@loom/blocks';
import type { Message, ModelCaps, PlainObject, Tokenizer } from '@loom/blocks';
import { buildContext } from '../../context/context.ts';
import type { Context } from '../../context/context.ts';
import type { PrefixHead } from '../../context/prefix.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { Hash } from '../../ports.ts';
import type { Provider } from '../../provider.ts';
import { describeThrown } from '../misbehaviour.ts';
import { shortenTexts } from './shortened-text.ts';

/** The wishes for a turn beside its content; the settings that are left are the provider's. */
export interface TurnWishes {
  maxTokens: number | undefined;
  onNoRoom: OnNoRoom;
  settings: PlainObject;
}

/**
 * The way to go on if an answer has no room: have the conversation summed up first, refuse, ask for an answer that is as
 * long as fits, or cut long texts in the middle, as much as it takes.
 */
export type OnNoRoom = (typeof manners)[number];

const manners = ['compact', 'fail', 'clamp', 'shorten'] as const;

/** Reads the settings that are Loom's own, in the documented spelling and in that of older logs. */
export function readSettings(given: PlainObject): TurnWishes {
  const { maxTokens, onNoRoom, max_tokens: limit = maxTokens, on_no_room: manner = onNoRoom, ...rest } = given;
  const { max_rounds: _rounds, [costSetting]: _cost, ...settings } = rest;
  return {
    maxTokens: typeof limit === 'number' && Number.isFinite(limit) ? limit : undefined,
    onNoRoom: manners.find((known) => known === manner) ?? 'compact',
    settings,
  };
}

/** Returns the number of model calls that a turn may have by its settings. */
export function roundsOf({ max_rounds: rounds }: PlainObject): number {
  return typeof rounds === 'number' && Number.isSafeInteger(rounds) && rounds > 0 ? rounds : usualRounds;
}

const usualRounds = 200;

/** Finds the tokenizer of a model, if there is one; it may take a while to load. */
export type FindTokenizer = (provider: string, model: string) => Tokenizer | undefined | Promise<Tokenizer | undefined>;

/** The facts about the model that will answer, and about the path. */
export interface RoomScope {
  provider: Provider;
  path: readonly NodeState[];
  head: PrefixHead;
  hash: Hash;
  /** Asks the catalogue, which may throw. */
  caps: () => ModelCaps | undefined | Promise<ModelCaps | undefined>;
  /** Looks for one, which may throw. */
  tokenizer: () => ReturnType<FindTokenizer>;
}

/** The number of tokens that an answer may have, if anything is known of that, or the reason that it cannot be asked for. */
export type OutputRoom =
  | { ok: true; maxTokens?: number; inputTokens: number }
  | { ok: false; error: { code: 'no-room' | 'uncountable'; message: string } };

/**
 * Returns the tokens that are kept free for an answer: the requested number or the model's maximum, but at most 16,384 and
 * half of its window.
 */
function reservedRoom(requested: number | undefined, caps: ModelCaps | undefined): number {
  const { contextWindow = Infinity, maxOutput = Infinity } = caps ?? {};
  return Math.max(1, Math.floor(Math.min(requested ?? Infinity, maxOutput, mostReserved, contextWindow / 2)));
}

const mostReserved = 16_384;

/** Room for an answer to messages whose long texts are cut in the middle, as little as it takes. */
export async function roomForShortened(
  { messages }: Pick<Context, 'messages'>,
  wishes: Pick<TurnWishes, 'maxTokens'>,
  scope: RoomScope,
): Promise<{ room: OutputRoom; messages: readonly Message[] }> {
  for (let most = longestText; ; most /= 2) {
    const shown = most === longestText ? messages : messages.map((message) => shortenTexts(message, most));
    const room = await outputRoom({ messages: shown }, { ...wishes, onNoRoom: 'fail' }, scope);
    if (room.ok || room.error.code !== 'no-room' || most < shortestText) return { room, messages: shown };
  }
}

const longestText = 1024 * 1024;
const shortestText = 200;

/** Computes the room for an answer, even if the catalogue or the tokenizer fails, which are others' code. */
export async function outputRoom(
  { messages }: Pick<Context, 'messages'>,
  { maxTokens, onNoRoom }: Omit<TurnWishes, 'settings'>,
  scope: RoomScope,
): Promise<OutputRoom> {
  const { provider, model } = scope.head;
  const uncountable = (who: string, what: string): OutputRoom => {
    return { ok: false, error: { code: 'uncountable', message: `The ${who} for ${provider}/${model} ${what}` } };
  };
  try {
    const caps = await ask('catalogue', scope.caps);
    const estimated = await ask('tokenizer', async () => {
      const tokenizer = await scope.tokenizer();
      return estimateInput(messages, scope.head, { tokenizer, correction: correctionOf(scope, tokenizer) });
    });
    const room = clampMaxTokens(maxTokens, caps, estimated, { onNoRoom: 'fail' });
    if (!room.ok && room.refusal.reason === 'invalid-params')
      return uncountable('catalogue or the tokenizer', room.refusal.message);
    const { contextWindow = Infinity, maxOutput } = caps ?? {};
    const left = Math.floor(contextWindow - estimated);
    const owed = onNoRoom === 'clamp' ? 1 : reservedRoom(maxTokens, caps);
    if (!room.ok || left < owed) {
      const message = `The conversation takes about ${estimated} of the ${contextWindow} tokens that ${provider}:${model} can read, and leaves no room for an answer.`;
      return { ok: false, error: { code: 'no-room', message } };
    }
    // A server knows the longest answers of the models it runs best.
    const isUnknown = maxTokens === undefined && maxOutput === undefined && left >= usualOutput;
    return { ok: true, inputTokens: estimated, ...(isUnknown ? {} : { maxTokens: room.maxTokens }) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return uncountable(error.who, `failed: ${describeThrown(error.cause)}`);
  }
}

/** Returns the error of a turn whose answer has no room: `why` a summary failed, if one was tried, and what to do. */
export function fullError(message: string, why?: string): { code: 'no-room'; message: string } {
  const tried = why === undefined ? '' : ` An automatic summary failed: ${why}`;
  const advice = why === undefined ? 'Have it summed up' : 'Try again';
  return {
    code: 'no-room',
    message: `${message}${tried} ${advice}, go back to an earlier message, or choose a model that can read more.`,
  };
}

/** Returns the reason that a finished answer is not a summary; `undefined` if it is one. */
export function whyUnfinished(finishReason: string | undefined, isSilent: boolean): string | undefined {
  if (finishReason === 'length') return 'the model reached its longest answer before the summary was complete.';
  if (finishReason !== 'stop') return `the model ended it with ${finishReason ?? 'no reason'}.`;
  return isSilent ? 'the model ended it without a word.' : undefined;
}

class Failed extends Error {
  readonly who: string;

  constructor(who: string, cause: unknown) {
    super(`the ${who} failed`, { cause });
    this.who = who;
  }
}

async function ask<Answer>(who: string, question: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw new Failed(who, error);
  }
}

function estimateInput(
  messages: readonly Message[],
  { systemPrompt = '', tools }: PrefixHead,
  { tokenizer, correction }: { tokenizer: Tokenizer | undefined; correction: number },
): number {
  const options = tokenizer === undefined ? { correction } : { correction, tokenizer };
  return estimateInputTokens(messages, systemPrompt + JSON.stringify(tools), options);
}

/**
 * The largest plausible correction: a report that is further off counts something else than the estimate, because cached
 * input may be left out, or several calls added.
 */
const mostCorrection = 4;

/**
 * Returns the reported ÷ estimated input tokens of the last answer of the same model. A call that runs its own tools reports
 * many at once.
 */
function correctionOf({ path, head, hash, provider }: RoomScope, tokenizer: Tokenizer | undefined): number {
  if (provider.runsTools === true) return 1;
  // A summary has read messages that are no longer shown.
  const isComparable = (index: number): boolean => path[index - 1]?.context_start !== true;
  const last = path.findLastIndex((node, index) => usageBy(node, head) !== undefined && isComparable(index));
  const reported = path[last] && usageBy(path[last], head);
  if (reported === undefined) return 1;
  const { messages } = buildContext(path.slice(0, last), head, hash);
  const estimated = estimateInput(messages, head, { tokenizer, correction: 1 });
  const correction = reported / estimated;
  return correction <= mostCorrection && correction >= 1 / mostCorrection ? correction : 1;
}

/** Returns the input tokens that a model reported for the call that made a node. */
function usageBy({ source }: NodeState, { provider, model }: PrefixHead): number | undefined {
  const isOwn = source.type === 'model' && source.provider === provider && source.model_name === model;
  return isOwn ? source.usage?.input_tokens : undefined;
}
