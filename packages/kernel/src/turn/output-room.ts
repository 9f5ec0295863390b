import { clampMaxTokens, estimateInputTokens } from '@loom/blocks';
import type { ClampOptions, Message, ModelCaps, PlainObject, Tokenizer } from '@loom/blocks';
import { buildContext } from '../context/context.ts';
import type { Context } from '../context/context.ts';
import type { PrefixHead } from '../context/prefix.ts';
import type { NodeState } from '../state/node-state.ts';
import type { Hash } from '../ports.ts';
import type { Provider } from '../provider.ts';
import { describeThrown } from './misbehaviour.ts';

/** What a turn is asked for beside its content; the settings that are left are the provider's. */
export interface TurnWishes extends Required<ClampOptions> {
  maxTokens: number | undefined;
  settings: PlainObject;
}

/** Reads the settings that are Loom's own, in the documented spelling and in that of older logs. */
export function readSettings(given: PlainObject): TurnWishes {
  const { maxTokens, onNoRoom, max_tokens: limit = maxTokens, on_no_room: manner = onNoRoom, ...settings } = given;
  return {
    maxTokens: typeof limit === 'number' && Number.isFinite(limit) ? limit : undefined,
    onNoRoom: manner === 'fail' ? 'fail' : 'clamp',
    settings,
  };
}

/** What is known of the model that will answer, and of the path. */
export interface RoomScope {
  provider: Provider;
  path: readonly NodeState[];
  head: PrefixHead;
  hash: Hash;
  /** Asks the catalogue, which may throw. */
  caps: () => ModelCaps | undefined;
  /** Looks for one, which may throw. */
  tokenizer: () => Tokenizer | undefined;
}

/** How many tokens an answer may have, or why it cannot be asked for. */
export type OutputRoom =
  | { ok: true; maxTokens: number }
  | { ok: false; error: { code: 'no-room' | 'uncountable'; message: string } };

/** Whatever the catalogue and the tokenizer do, which are others' code. */
export function outputRoom(
  { messages }: Context,
  { maxTokens, onNoRoom }: Omit<TurnWishes, 'settings'>,
  scope: RoomScope,
): OutputRoom {
  const { provider, model } = scope.head;
  const uncountable = (who: string, what: string): OutputRoom => {
    return { ok: false, error: { code: 'uncountable', message: `The ${who} for ${provider}/${model} ${what}` } };
  };
  try {
    const caps = ask('catalogue', scope.caps);
    const room = clampMaxTokens(maxTokens, caps, estimateInput(messages, scope, correctionOf(scope)), { onNoRoom });
    if (room.ok) return room;
    if (room.refusal.reason === 'invalid-params')
      return uncountable('catalogue or the tokenizer', room.refusal.message);
    const message = 'the conversation fills the context window of this model';
    return { ok: false, error: { code: 'no-room', message } };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return uncountable(error.who, `failed: ${describeThrown(error.cause)}`);
  }
}

class Failed extends Error {
  readonly who: string;

  constructor(who: string, cause: unknown) {
    super(`the ${who} failed`, { cause });
    this.who = who;
  }
}

function ask<Answer>(who: string, question: () => Answer): Answer {
  try {
    return question();
  } catch (error) {
    throw new Failed(who, error);
  }
}

function estimateInput(messages: readonly Message[], { head, tokenizer }: RoomScope, correction: number): number {
  const { systemPrompt = '', tools } = head;
  return ask('tokenizer', () => {
    const found = tokenizer();
    const options = found === undefined ? { correction } : { correction, tokenizer: found };
    return estimateInputTokens(messages, systemPrompt + JSON.stringify(tools), options);
  });
}

/** A report that is further off than this is not of what was estimated: cached input may be left out, or several calls added. */
const mostCorrection = 4;

/** Reported ÷ estimated input tokens of the last answer of the same model. A call with tools of its own reports many at once. */
function correctionOf(scope: RoomScope): number {
  const { path, head, hash, provider } = scope;
  if (provider.runsTools === true) return 1;
  const last = path.findLastIndex((node) => usageBy(node, head) !== undefined);
  const reported = path[last] && usageBy(path[last], head);
  if (reported === undefined) return 1;
  const estimated = estimateInput(buildContext(path.slice(0, last), head, hash).messages, scope, 1);
  const correction = reported / estimated;
  return correction <= mostCorrection && correction >= 1 / mostCorrection ? correction : 1;
}

/** What a model reported as the input of the call that made a node. */
function usageBy({ source }: NodeState, { provider, model }: PrefixHead): number | undefined {
  const isOwn = source.type === 'model' && source.provider === provider && source.model_name === model;
  return isOwn ? source.usage?.input_tokens : undefined;
}
