import type { NodeState, RootState } from '@loom/kernel';
import { branchingEditor } from './change-rules.ts';
import type { MeetingAction } from './coverage.ts';
import { toolNames } from './fakes/fake-tools.ts';
import type { StoreFault } from './process-store.ts';
import type { Random } from '@loom/kernel/testing';
import type { SimulatedProcess } from './simulated-process.ts';
import { isAsked } from './state-rules.ts';
import type { World } from './world.ts';

/** The relative frequency of each action in an average simulation. */
const averageWeights = [
  ['generate', 2.5],
  ['append', 0.5],
  ['edit', 0.7],
  ['delete', 0.4],
  ['merge', 0.3],
  ['undo', 0.6],
  ['abort', 1.2],
  ['steer', 1.2],
  ['queue', 1.2],
  ['approve', 6],
  ['deny', 5],
  ['answer', 2],
  ['intrude', 0.5],
  ['lease-loss', 1.5],
  ['conflict', 1.5],
  ['fail', 0.4],
  ['crash', 0.8],
  ['close', 0.15],
  ['restart', 6],
  ['thaw', 6],
  ['recover', 1.5],
  ['repeat', 1.5],
] as const;

export type Action = (typeof averageWeights)[number][0];

/** Returns weights for one simulation: actions that are rare in one are common in another, so that rare ones do meet. */
export function inventWeights(random: Random): [Action, number][] {
  return averageWeights.map(([action, weight]) => [action, weight * (random.pick([0.3, 1, 1, 2.5]) ?? 1)]);
}

/** Longer than any lease. */
const leaseOver = 16_000;

/** Acts on the world, if that is possible now. */
export function act(world: World, action: Action): void {
  const process = world.random.pick(world.awake);
  switch (action) {
    case 'restart':
      return restart(world);
    case 'thaw':
      return thaw(world);
    case 'abort':
    case 'steer':
    case 'queue':
      return process && address(world, process, action);
    case 'approve':
    case 'deny':
    case 'answer':
    case 'intrude':
      return process && decide(world, process, action);
    case 'lease-loss':
      return loseLease(world);
    case 'conflict':
      return provokeConflict(world);
    case 'crash':
      return crash(world);
    case 'generate':
      return process && generate(world, process);
    case 'append':
      return process && append(world, process);
    case 'edit':
      return process && edit(world, process);
    case 'delete':
      return process && remove(world, process);
    case 'merge':
      return process && merge(world, process);
    case 'undo':
      return process && undo(world, process);
    case 'fail':
      return process?.arm(
        world.random.pick<StoreFault>(['fail-before', 'fail-after', 'fail-read', 'fail-lease']) ?? 'fail-before',
      );
    case 'close':
      return process && close(world, process);
    case 'recover':
      if (world.random.chance(0.3)) world.scheduler.pass(leaseOver);
      return process && void world.recover(process);
    case 'repeat': {
      const operation = world.unanswered.shift();
      return process && operation && world.ask(process, operation);
    }
  }
}

/** Decides about every call that waits for a user. */
export function decideAll(world: World): void {
  const { state } = world.monitor;
  for (const node of state.nodes.values()) {
    const process = world.random.pick(world.awake);
    if (process !== undefined && isAsked(state, node) && state.liveTurns.has(node.turn ?? '')) {
      submitDecision(world, process, node, world.random.chance(0.5) ? 'approved' : 'denied');
    }
  }
}

function generate(world: World, process: SimulatedProcess): void {
  const { random, root, monitor } = world;
  if (monitor.state.liveTurns.size >= 3) return;
  const node = random.pick(visibleNodes(monitor.state).slice(-6));
  if (node === undefined) return;
  const [agent, id] = ['person:ann', world.newId('generate')];
  const n = random.chance(0.15) ? 2 : 1;
  const params = {
    node: node.id,
    provider: world.hasAgents && random.chance(0.6) ? 'agent' : 'fake',
    model: 'model',
    tools: toolNames,
    n,
    maxRounds: 1 + random.below(4),
  };
  world.ask(process, {
    name: `generate ${id} at ${node.id}`,
    agent,
    request: id,
    run: (engine) => engine.turns.generate({ agent, id }, root, params),
  });
}

function append(world: World, process: SimulatedProcess): void {
  const { random, root, monitor } = world;
  const parent = random.pick([root, ...visibleNodes(monitor.state).map(({ id }) => id)]) ?? root;
  const [agent, id] = ['person:ann', world.newId('append')];
  const text = random.pick(['hello', 'again', 'begin', `words ${id}`]) ?? 'hello';
  world.ask(process, {
    name: `append ${id} at ${parent}`,
    agent,
    // An existing message is found, not written again.
    request: undefined,
    run: (engine) =>
      engine.forest.append({ agent, id }, root, {
        parent,
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      }),
  });
}

/** Edits a message, branching if something follows it, or a block in place. */
function edit(world: World, process: SimulatedProcess): void {
  const { random, root, monitor } = world;
  const node = random.pick(visibleNodes(monitor.state).slice(-8));
  const block = node && random.pick(node.blocks)?.block_id;
  if (node === undefined || block === undefined) return;
  const isBranching = random.chance(0.5);
  const [agent, id] = [isBranching ? branchingEditor : 'person:cid', world.newId('edit')];
  const mode = random.pick(['sibling', 'split', 'split'] as const) ?? 'split';
  const text = random.pick(['edited', 'hello', 'he', ' ', 'a word', `words ${id}`]) ?? 'edited';
  world.ask(process, {
    name: `edit ${id} of ${isBranching ? node.id : block}`,
    agent,
    // A block that already has this text is not written.
    request: undefined,
    run: (engine) =>
      isBranching
        ? engine.forest.editNode({ agent, id }, root, { node: node.id, content: text, mode })
        : engine.forest.editBlock({ agent, id }, root, { block, text }),
  });
}

/** Merges a message and the one above it. */
function merge(world: World, process: SimulatedProcess): void {
  const { random, root, monitor } = world;
  const node = random.pick(visibleNodes(monitor.state))?.id;
  if (node === undefined) return;
  const [agent, id] = ['person:cid', world.newId('merge')];
  world.ask(process, {
    name: `merge ${id} of ${node}`,
    agent,
    request: id,
    run: (engine) => engine.forest.merge({ agent, id }, root, node),
  });
}

/** Undoes an agent's last action, or redoes it. */
function undo(world: World, process: SimulatedProcess): void {
  const { random, root } = world;
  const agent = random.pick(['person:ann', branchingEditor, 'person:cid']) ?? branchingEditor;
  const what = random.chance(0.4) ? 'redo' : 'undo';
  const id = world.newId(what);
  world.ask(process, {
    name: `${what} ${id} of ${agent}`,
    agent,
    request: id,
    run: (engine) => engine.forest[what]({ agent, id }, root),
  });
}

/** Hides a node with all below it, or shows it again. Turns inside are stopped first. */
function remove(world: World, process: SimulatedProcess): void {
  const { random, root, monitor } = world;
  const node = random.pick([...monitor.state.nodes.values()].slice(1));
  if (node === undefined) return;
  const [agent, id] = [branchingEditor, world.newId('delete')];
  const isDeleted = node.deleted === true;
  if (!isDeleted) for (const turn of liveTurnsBelow(monitor.state, node.id)) abort(world, process, turn);
  world.ask(process, {
    name: `${isDeleted ? 'restore' : 'delete'} ${id} of ${node.id}`,
    agent,
    request: undefined,
    run: (engine) =>
      isDeleted
        ? engine.forest.restore({ agent, id }, root, node.id)
        : engine.forest.remove({ agent, id }, root, { node: node.id, children: 'remove' }),
  });
}

function address(world: World, process: SimulatedProcess, action: 'abort' | 'steer' | 'queue'): void {
  const turn = pickTurn(world);
  if (turn === undefined) return;
  if (action === 'abort') return abort(world, process, turn);
  const [agent, id] = ['person:ann', world.newId(action)];
  world.coverage.hit(turn, action);
  world.ask(process, {
    name: `${action} ${id} of ${turn}`,
    agent,
    request: id,
    turn,
    run: (engine) => engine.turns[action]({ agent, id }, world.root, turn, [{ type: 'text', text: `${action} ${id}` }]),
  });
}

function abort(world: World, process: SimulatedProcess, turn: string): void {
  const [agent, id] = ['person:ann', world.newId('abort')];
  world.coverage.hit(turn, 'abort');
  world.ask(process, {
    name: `abort ${id} of ${turn}`,
    agent,
    request: id,
    turn,
    run: (engine) => engine.turns.abort({ agent, id }, world.root, turn),
  });
}

function decide(world: World, process: SimulatedProcess, action: 'approve' | 'deny' | 'answer' | 'intrude'): void {
  const { random, monitor } = world;
  const { state } = monitor;
  const waiting = [...state.nodes.values()].filter(
    (node) => isAsked(state, node) && state.liveTurns.has(node.turn ?? ''),
  );
  const favourite = pickTurn(world);
  const node = waiting.find(({ turn }) => turn === favourite) ?? random.pick(waiting);
  if (node === undefined) return;
  if (action === 'intrude') return intrude(world, process, node);
  const met: Partial<Record<typeof action, MeetingAction>> = { approve: 'approve', deny: 'deny' };
  const hit = met[action];
  if (hit !== undefined) world.coverage.hit(node.turn ?? '', hit);
  submitDecision(world, process, node, decisions[action]);
}

const decisions = { approve: 'approved', deny: 'denied', answer: 'answered' } as const;

function submitDecision(
  world: World,
  process: SimulatedProcess,
  node: NodeState,
  decision: 'approved' | 'denied' | 'answered',
): void {
  const exact = exactArguments(world.monitor.state, node);
  if (exact === undefined) return;
  const [agent, id] = ['person:ann', world.newId('decision')];
  const params = { node: node.id, decision, arguments: exact, ...(decision === 'answered' ? { text: 'yes' } : {}) };
  world.ask(process, {
    name: `${decision} ${id} of ${node.id}`,
    agent,
    request: id,
    ...(node.turn === undefined ? {} : { turn: node.turn }),
    run: (engine) => engine.turns.decide({ agent, id, type: 'person' }, world.root, params),
  });
}

/** Makes decisions that must not count: by an agent that is not a person, or about other arguments. */
function intrude(world: World, process: SimulatedProcess, node: NodeState): void {
  const exact = exactArguments(world.monitor.state, node) ?? '';
  const isPerson = world.random.chance(0.5);
  const [agent, id] = ['model:mallory', world.newId('intrusion')];
  const params = { node: node.id, decision: 'approved' as const, arguments: isPerson ? `${exact} ` : exact };
  world.ask(process, {
    name: `intrusion ${id} at ${node.id}`,
    agent,
    request: undefined,
    run: async (engine) => {
      const outcome = await engine.turns.decide({ agent, id, type: isPerson ? 'person' : 'other' }, world.root, params);
      if (outcome.ok) world.report('approved', `${id} was accepted`);
      return outcome;
    },
  });
}

/** Freezes the process of a turn for longer than its lease, while another one looks for abandoned turns. */
function loseLease(world: World): void {
  const turn = pickTurn(world);
  const holder = turn === undefined ? undefined : world.holderOf(turn);
  const other = world.random.pick(world.awake.filter((process) => process !== holder));
  if (turn === undefined || holder === undefined || other === undefined) return;
  world.note(`${holder.name} is frozen, ${other.name} recovers`);
  holder.isFrozen = true;
  world.scheduler.pass(leaseOver);
  void world.recover(other);
}

function provokeConflict(world: World): void {
  const turn = pickTurn(world);
  const process = world.random.pick(
    world.awake.filter(
      (candidate) => turn !== undefined && (candidate.isAbout(turn) || world.holderOf(turn) === candidate),
    ),
  );
  process?.arm(world.random.chance(0.3) ? 'conflict' : 'overtaken', turn);
}

function crash(world: World): void {
  const { nodes } = world.monitor.state;
  const atWork = [...nodes.values()]
    .flatMap(({ tool, turn }) => (tool === 'running' && turn ? [turn] : []))
    .filter((turn) => world.holderOf(turn) !== undefined);
  // The worst moment to die is while a tool runs.
  const turn = world.random.pick(atWork) ?? pickTurn(world);
  const alive = world.processes.filter(({ isAlive }) => isAlive);
  const involved = alive.filter(
    (process) => turn !== undefined && (process.isAbout(turn) || world.holderOf(turn) === process),
  );
  const process = world.random.pick(involved) ?? world.random.pick(alive);
  if (process === undefined) return;
  world.note(`${process.name} dies`);
  world.crash(process);
}

function close(world: World, process: SimulatedProcess): void {
  world.note(`${process.name} closes`);
  process.isClosing = true;
  process.engine.close().then(
    () => world.bury(process),
    (error: unknown) => world.report('no-defect', `${process.name} cannot close: ${String(error)}`),
  );
}

function restart(world: World): void {
  const dead = world.random.pick(world.processes.filter(({ isAlive }) => !isAlive));
  if (dead === undefined) return;
  // Starting may take longer than a lease, or less.
  if (world.random.chance(0.5)) world.scheduler.pass(leaseOver);
  world.note(`${dead.name} starts again`);
  void world.recover(world.start(dead.name));
}

function thaw(world: World): void {
  const frozen = world.random.pick(world.processes.filter(({ isAlive, isFrozen }) => isAlive && isFrozen));
  if (frozen === undefined) return;
  world.note(`${frozen.name} goes on`);
  frozen.isFrozen = false;
}

/** Returns a live turn; usually one with open calls, or the one with the most actions. */
function pickTurn({ random, monitor, coverage }: World): string | undefined {
  const { nodes, liveTurns } = monitor.state;
  const live = [...liveTurns];
  if (random.chance(0.2)) return random.pick(live);
  const delicate = new Set([...nodes.values()].flatMap(({ tool, turn }) => (isOpenCall(tool) && turn ? [turn] : [])));
  if (random.chance(0.6) && delicate.size > 0) return random.pick([...delicate]);
  return live.sort((a, b) => coverage.hitsOf(b) - coverage.hitsOf(a))[0];
}

function isOpenCall(tool: NodeState['tool']): boolean {
  return tool === 'waiting' || tool === 'running';
}

function visibleNodes(state: RootState): NodeState[] {
  const visible = new Set<string>([state.id]);
  return [...state.nodes.values()].filter((node) => {
    if (node.deleted === true || !visible.has(node.parent)) return false;
    visible.add(node.id);
    return true;
  });
}

function liveTurnsBelow(state: RootState, top: string): string[] {
  return [...state.liveTurns].filter((turn) => {
    let node = state.node(state.turns.get(turn)?.node ?? '');
    while (node !== undefined && node.id !== top) node = state.node(node.parent);
    return node !== undefined || [...state.nodes.values()].some((own) => own.turn === turn && own.id === top);
  });
}

/** Returns the arguments of a call as a user sees them now. */
function exactArguments(state: RootState, node: NodeState): string | undefined {
  for (let above = state.node(node.parent); above !== undefined; above = state.node(above.parent)) {
    for (const block of above.blocks) {
      if (block.type === 'tool-use' && block.id === node.tool_call_id) {
        return block.arguments ?? JSON.stringify(block.parameters);
      }
    }
  }
  return undefined;
}
