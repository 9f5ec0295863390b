import type { PlainObject } from '@loom/blocks';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import type { Outcome } from '../../refusal.ts';
import type { GenerateParams } from '../../turn/generate-params.ts';
import type { HowEnded } from '../../turn/holding/running-turns.ts';
import { readSettings } from '../../turn/room/output-room.ts';
import { summaryPrompt } from '../../turn/room/summary.ts';

/** A summary, and the request for it, from which models are shown the conversation from now on. */
export interface Compaction {
  node: string;
  summary: string;
  ended: HowEnded;
}

/**
 * Lets a model sum up the path to a node. The request for the summary stands below the node, and once it is answered, models
 * that are asked below it are not shown the path above it. Nothing is lost: a branch from above goes on as before.
 */
export async function compact(
  engine: LoomEngine,
  caller: Caller,
  root: string,
  params: Omit<GenerateParams, 'n' | 'answers'>,
  signal: AbortSignal,
): Promise<Outcome<Compaction>> {
  const step = (name: string): Caller => ({ ...caller, id: `${caller.id}/${name}` });
  const messages = [{ role: 'user' as const, content: summaryPrompt }];
  const asked = await engine.call('node.append', step('ask'), { parent: params.node, messages });
  if (!asked.ok) return asked;
  const node = asked.value.nodes.at(-1) ?? '';
  const settings = settingsOfSummary(params.settings);
  const started = await engine.turns.generate(step('answer'), root, { ...params, node, settings });
  if (!started.ok) return started;
  const [turn = ''] = started.value.turns;
  const abort = (): void => {
    // A process that ends stops its turns anyway.
    if (!engine.resting.aborted) engine.turns.abort(step('abort'), root, turn).catch(() => {});
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const ended = (await engine.turns.wait(turn)) ?? 'stopped';
  signal.removeEventListener('abort', abort);
  const [summary = ''] = started.value.nodes;
  if (ended !== 'done') return { ok: true, value: { node, summary, ended } };
  const { value: reason } = await engine.forest.log(root).read((state) => {
    const { source } = state.nodes.get(summary) ?? {};
    return source?.type === 'model' ? source.finish_reason : undefined;
  });
  // Half a summary in the place of a conversation would lose the other half.
  if (reason !== 'stop')
    return { ok: true, value: { node, summary, ended: reason === 'length' ? 'no-room' : 'error' } };
  const marked = await engine.call('node.mark', step('mark'), { node, context_start: true });
  if (!marked.ok) return marked;
  return { ...marked, value: { node, summary, ended } };
}

/**
 * Returns settings for a summary: it is to sum up what fits, not to think, and a limit on the length of answers does not
 * apply to it.
 */
function settingsOfSummary(given: PlainObject = {}): PlainObject {
  const { reasoning: _reasoning, ...settings } = readSettings(given).settings;
  return { ...settings, on_no_room: 'shorten' };
}
