import { editableText } from '@loom/blocks';
import assert from 'node:assert/strict';
import type { Message } from '@loom/blocks';
import type { z } from 'zod';
import type { LoomEngine } from '../../operations/calling/engine.ts';
import type { Forest } from '../../forest/forest.ts';
import type { Request } from '../../request.ts';
import type { Ids } from '../../ports.ts';
import { refusalSchema } from '../../refusal.ts';
import type { Refusal, RefusalOf, RefusalReason } from '../../refusal.ts';
import { openText } from '../../forest/editing/text/open-text.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import { visibleBlocks } from '../../forest/reading/block-walk.ts';
import { BlockTools } from '../block-tools.ts';
import type { Answer } from '../block-tools.ts';
import { BlockFollower } from '../versions/block-versions.ts';
import { rowOf } from '../versions/recent-versions.ts';
import type { VersionRow } from '../versions/recent-versions.ts';
import type { createParams } from '../schemas.ts';
import { patchAnswer } from '../../operations/patch-answer.ts';
import type { PatchAnswer } from '../../operations/patch-answer.ts';
import { patchResult } from '../schemas.ts';
import type { patchParams } from '../schemas.ts';

/** A conversation and the block tools over it. */
export interface ToolWorld extends World {
  tools: BlockTools;
  /** Makes a new request. */
  by: (agent?: string) => Request;
  /** Creates a block, below the root by default; returns its id. */
  block: (params?: Partial<z.infer<ReturnType<typeof createParams>>>, agent?: string) => Promise<string>;
  /** Calls a tool as a door does: by its name, with unchecked parameters. */
  call: (name: string, params: unknown, agent?: string, id?: string) => Promise<unknown>;
  /** Applies a patch; returns the answer that a model gets. */
  patch: (request: Request, params: z.infer<ReturnType<typeof patchParams>>) => Promise<PatchAnswer>;
  text: (block: string) => Promise<string>;
  version: (block: string) => Promise<number>;
  /** The tools of another process over the same store. */
  restarted: () => BlockTools;
}

export async function createToolWorld(scripts: Script[] = [], snapshotEvery = Infinity): Promise<ToolWorld> {
  const world = await createWorld(scripts, [], snapshotEvery);
  const { ids } = world;
  const tools = new BlockTools({ forest: world.engine.forest, ids });
  const by = (agent = 'ann'): Request => ({ agent, id: ids.next() });
  const read = async (block: string) => done(await tools.read({ block_id: block, line_numbers: false }));
  return {
    ...world,
    tools,
    by,
    block: async (params = {}, agent = 'ann') => {
      const whole = { parent_id: world.root, role: 'user' as const, kind: 'text', ...params };
      return done(await tools.create(by(agent), whole)).block_id;
    },
    call: (name, params, agent = 'ann', id = ids.next()) => callTool(world.engine, { agent, id }, name, params),
    patch: async (request, params) => {
      const answer = await tools.applyPatch(request, params);
      return patchAnswer('refusal' in answer ? answer : { ok: true, value: answer });
    },
    text: async (block) => (await read(block)).content,
    version: async (block) => (await read(block)).version,
    restarted: () => toolsOver(world.another().forest, ids),
  };
}

export function toolsOver(forest: Forest, ids: Ids): BlockTools {
  return new BlockTools({ forest, ids });
}

/** Calls a tool and returns what a model would get. */
export async function callTool(
  engine: LoomEngine,
  { agent, id }: Request,
  name: string,
  params: unknown,
): Promise<unknown> {
  const outcome = await engine.call(name, { agent, id, type: 'model', role: 'writer', door: 'model' }, params);
  if (name !== 'block.apply_patch') return outcome.ok ? outcome.value : outcome;
  return patchAnswer(outcome.ok ? { ok: true, value: patchResult().parse(outcome.value) } : outcome);
}

/** The result of a tool that must not refuse. */
export function done<T>(answer: Answer<T>): T {
  if (isRefused(answer)) assert.fail(JSON.stringify(answer.refusal));
  return answer;
}

/** The refusal of a tool that must refuse, for this reason. */
export function refused<Reason extends RefusalReason>(answer: unknown, reason: Reason): RefusalOf<Reason> {
  if (!isRefused(answer)) assert.fail(`it was not refused with ${reason}: ${JSON.stringify(answer)}`);
  if (!hasReason(answer.refusal, reason)) assert.fail(`refused, but not with ${reason}: ${JSON.stringify(answer)}`);
  assert.deepEqual(refusalSchema().parse(answer.refusal), answer.refusal);
  return answer.refusal;
}

function hasReason<Reason extends RefusalReason>(refusal: Refusal, reason: Reason): refusal is RefusalOf<Reason> {
  return refusal.reason === reason;
}

export function isRefused(answer: unknown): answer is { ok: false; refusal: Refusal } {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === false;
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/**
 * Every text that can be seen is the text of its document, in a process that begins now and, if one looks there too, in this
 * one; and both know the same about it.
 */
export async function assertWhole(forest: Forest, root: string, looks = true): Promise<void> {
  const state = await forest.log(root).state();
  const anew = await forest.log(root).past.stateAt(state.seq);
  assert.deepEqual([...anew.nodes], [...state.nodes], 'a restart gives the same nodes');
  for (const { block } of visibleBlocks(state)) {
    const { block_id: id = '' } = block;
    const text = editableText(block);
    if (text === undefined) continue;
    const [here, there] = [state, anew].map((some) => some.texts.get(id)?.hasDocument ?? false);
    assert.equal(there, here, `a restart knows whether ${id} is a document`);
    const restarted = openText(anew, id);
    assert.equal(restarted.text, text, `the document of ${id} says what the block says, after a restart`);
    if (!looks) continue;
    const open = openText(state, id);
    assert.equal(open.text, text, `the document of ${id} says what the block says`);
    assert.deepEqual(restarted.units.map(describe), open.units.map(describe), `the undo units of ${id} survive`);
    assert.deepEqual(restarted.encode(), open.encode(), `the document of ${id} survives`);
  }
}

/** The newest versions of every block that can be seen are those that following it from the beginning gives. */
export async function assertHistories(forest: Forest, root: string, tools: BlockTools): Promise<void> {
  const log = forest.log(root);
  for (const { block } of visibleBlocks(await log.state())) {
    const { block_id = '' } = block;
    const follower = new BlockFollower(block_id);
    const all: VersionRow[] = [];
    await log.past.walk((item, state) => {
      const made = follower.follow(item, state);
      if (made !== undefined) all.push(rowOf(made));
      return true;
    });
    const rows = all.map((row) => ({ ...row, time: new Date(row.time).toISOString() }));
    for (const limit of [1, 2, 5, 100]) {
      for (const before of [Infinity, 2, (block.version ?? 1) - 1]) {
        const shown = rows.filter(({ version }) => version < before).slice(-limit);
        const wanted = { block_id, limit, ...(before === Infinity ? {} : { before }) };
        assert.deepEqual(done(await tools.history(wanted)), shown, JSON.stringify(wanted));
      }
    }
  }
}

function describe(unit: { agent: string; name: string; active: boolean; phase: string }): string {
  const { agent, name, active, phase } = unit;
  return `${agent} ${name} ${active ? 'active' : 'undone'} ${phase}`;
}
