import { z } from 'zod';
import { fileChangeBlock, modelAgentId, userBlock } from '@loom/blocks';
import type { Forest } from '../../forest/forest.ts';
import { withNewId } from '../../forest/editing/append.ts';
import { readParams } from '../../forest/params.ts';
import type { Decision } from '../../log/log-shape.ts';
import { approvalMode, notice, origin } from '../../op.ts';
import type { RootOp } from '../../op.ts';
import { noCredentials } from '../../ports.ts';
import type { CredentialPort, Ids } from '../../ports.ts';
import type { AgentStart, BegunTurn, ChangedFiles, ModeChange, Provider, ProviderHost } from '../../provider.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import { exportsIn } from '../../state/foreign-names.ts';
import type { RootState, TurnState } from '../../state/root-state.ts';
import { StoreError } from '../../store.ts';
import { disregard } from '../misbehaviour.ts';
import { ownFields } from '../output/own-fields.ts';
import { roundsOf } from '../room/output-room.ts';
import { decideStart, nodesOfTurn } from '../turn-decisions.ts';
import type { RunningTurns } from './running-turns.ts';
import { untilEnded } from './turn-end.ts';
import type { TurnLeases } from './turn-leases.ts';

export interface AgentTurnsOptions {
  forest: Forest;
  leases: TurnLeases;
  running: RunningTurns;
  ids: Ids;
  holder: string;
  /** Aborted when this process no longer begins turns. */
  resting: AbortSignal;
  leftOpen: (root: string) => void;
  /** The credentials of callers. Default: nothing ends with one. */
  credentials?: CredentialPort;
  /** Called with what a provider throws while it is attached. */
  failed: (error: unknown) => void;
}

/** A turn that an agent has begun, and the one that it goes on from. */
export interface FollowingTurn {
  readonly root: string;
  readonly turn: string;
  readonly after: string;
}

/** Turns that agents begin without being asked. */
export class AgentTurns {
  readonly #options: AgentTurnsOptions;
  readonly #listeners = new Set<(begun: FollowingTurn) => void>();

  constructor(options: AgentTurnsOptions) {
    this.#options = options;
  }

  /** Calls back whenever a turn has begun that nobody asked for. */
  subscribe(listener: (begun: FollowingTurn) => void): void {
    this.#listeners.add(listener);
  }

  /** Gives a provider the way to begin turns. One that fails is used all the same. */
  attach(provider: Provider): void {
    const host: ProviderHost = {
      begin: (start) => {
        const begun = this.#begin(provider, start);
        // The provider may not be listening: only the turn depends on this promise.
        begun.catch(() => {});
        return begun;
      },
      changed: (files) => {
        const added = this.#addFiles(provider, files);
        added.catch(() => {});
        return added;
      },
      changeMode: (change) => {
        const changed = this.#changeMode(provider, change);
        changed.catch(() => {});
        return changed;
      },
    };
    try {
      disregard(provider.attach?.(host));
    } catch (error) {
      this.#options.failed(error);
    }
  }

  async #begin(provider: Provider, given: AgentStart): Promise<Outcome<BegunTurn>> {
    const read = readParams(agentStart, given);
    if (!read.ok) return read;
    const { forest, resting } = this.#options;
    const { root, after } = read.value;
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const { value: sender } = await forest.log(root).read((state) => state.turns.get(after));
    const place = read.value.session === undefined ? read.value : await this.#childOf(read.value);
    if (place === undefined) return refuse({ reason: 'turn-not-found', turn: after });
    await untilEnded(forest.log(place.root), place.after, resting);
    if (resting.aborted) throw new StoreError('store-closed', 'Loom is closed, or about to be', 'Open it again.');
    return this.#open(provider, place, { asked: after, credential: sender?.credential });
  }

  /** Finds the conversation of a sub-agent by its name among those that this one leads to, and its last turn. */
  async #childOf({ session, ...start }: AgentStart): Promise<AgentStart | undefined> {
    const { forest } = this.#options;
    const { value: roots } = await forest
      .log(start.root)
      .read(({ nodes }) =>
        [...nodes.values()].flatMap(({ blocks }) =>
          blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
        ),
      );
    for (const root of new Set(roots.toReversed())) {
      if ((await forest.refuseUnknown(root)) !== undefined) continue;
      const { value: after } = await forest.log(root).read(({ config, turns }) => {
        const isNamed = exportsIn(config).some(({ source, id }) => source === session?.source && id === session.id);
        return isNamed ? [...turns.keys()].at(-1) : undefined;
      });
      if (after !== undefined) return { ...start, root, after };
    }
    return undefined;
  }

  async #addFiles({ id }: Provider, given: ChangedFiles): Promise<Outcome<null>> {
    const read = readParams(changedFiles, given);
    if (!read.ok) return read;
    const { forest, ids } = this.#options;
    const { root, turn, block } = read.value;
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const { value: known } = await forest.log(root).read((state) => state.turns.get(turn));
    if (known === undefined || known.provider !== id) return refuse({ reason: 'turn-not-found', turn });
    const agent = modelAgentId(id, known.model);
    return forest.change({ agent, id: ids.next() }, root, z.null(), (state) => {
      const last = nodesOfTurn(state, known).findLast(({ role }) => role === 'assistant');
      if (last === undefined) return refuse({ reason: 'node-not-found', node: known.node });
      const added = { ...withNewId(state, agent, ownFields(block)), ephemeral: true };
      return {
        ok: true,
        ops: [{ type: 'block-added', node: last.id, index: last.blocks.length, block: added }],
        value: null,
      };
    });
  }

  async #changeMode({ id }: Provider, given: ModeChange): Promise<Outcome<null>> {
    const read = readParams(modeChange, given);
    if (!read.ok) return read;
    const { forest, ids } = this.#options;
    const { root, turn, mode } = read.value;
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const { value: known } = await forest.log(root).read((state) => state.turns.get(turn));
    if (known === undefined || known.provider !== id) return refuse({ reason: 'turn-not-found', turn });
    const agent = modelAgentId(id, known.model);
    return forest.change({ agent, id: ids.next() }, root, z.null(), ({ config }) => {
      const ops =
        config['approval_mode'] === mode
          ? []
          : [{ type: 'root-changed' as const, config: { ...config, approval_mode: mode } }];
      return { ok: true, ops, value: null };
    });
  }

  /** Opens the turn, with the message that it answers, in one change. `asked`: the turn in whose name the agent goes on. */
  async #open(
    provider: Provider,
    start: AgentStart,
    { asked, credential }: { asked: string; credential: string | undefined },
  ): Promise<Outcome<BegunTurn>> {
    const { forest, leases, running, ids, holder, leftOpen, credentials = noCredentials } = this.#options;
    const turn = `turn-${ids.next()}`;
    const { root } = start;
    const { value: before } = await forest.log(root).read((state) => state.turns.get(start.after));
    // The agent goes on in the name of the caller that asked it, and no longer than that one may ask.
    if (credential !== undefined && !(await credentials.isValid(credential)))
      return refuse({ reason: 'not-permitted', needs: 'person', operation: 'turn.start' });
    const agent = modelAgentId(provider.id, start.model ?? before?.model ?? '');
    return running.claimNew([turn], async () => {
      try {
        await leases.take(root, turn);
        const outcome = await forest.change({ agent, id: ids.next(), turn }, root, begunTurn, (state) =>
          decideBegin(state, provider.id, start, { turn, holder, agent, credential }),
        );
        const isRunning = outcome.ok && (await running.run(root, turn, start.stream));
        if (isRunning) for (const listener of this.#listeners) listener({ root, turn, after: asked });
        else await leases.release(root, turn);
        return outcome;
      } catch (error) {
        leftOpen(root);
        throw error;
      }
    });
  }
}

/** Starts a turn below what the agent has said before, behind the message that made it begin. */
function decideBegin(
  state: RootState,
  provider: string,
  { after, model, notice: given }: AgentStart,
  { turn, holder, agent, credential }: { turn: string; holder: string; agent: string; credential: string | undefined },
): Decision<RootOp, BegunTurn> {
  const before = state.turns.get(after);
  // An agent goes on with its own words alone.
  if (before === undefined || before.provider !== provider) return refuse({ reason: 'turn-not-found', turn: after });
  const { settings } = before;
  const asked = credential === undefined ? {} : { credential };
  const limits = { settings, max_rounds: roundsOf(settings), ...asked };
  const start = { turn, holder, provider, model: model ?? before.model, ...limits };
  const place = endOf(state, before);
  const started = decideStart(state, { node: place }, [{ ...start, started_by: 'agent' }], []);
  if (!started.ok) return started;
  const [node] = started.value.nodes;
  if (given === undefined || node === undefined) return { ...started, value: { turn, node: place } };
  const seed = {
    id: node,
    parent: place,
    role: 'user' as const,
    blocks: given.blocks.map((block) => withNewId(state, agent, block)),
    source: { type: 'user' as const },
    notice: { kind: given.kind },
  };
  // The message stands where the answer would have, and the answer behind it.
  const answer = state.newNodeId();
  const answered = started.ops.map((op) => (op.type === 'turn-started' ? { ...op, node, answer } : op));
  return { ok: true, ops: [{ type: 'node-added', node: seed }, ...answered], value: { turn, node } };
}

/** The last node that a turn has written, or the one that it was to answer. */
function endOf(state: RootState, turn: TurnState): string {
  return nodesOfTurn(state, turn).at(-1)?.id ?? turn.node;
}

const begunTurn: z.ZodType<BegunTurn> = z.strictObject({ turn: z.string(), node: z.string() });

const changedFiles: z.ZodType<ChangedFiles> = z.strictObject({
  root: z.string(),
  turn: z.string(),
  block: fileChangeBlock,
});

const modeChange: z.ZodType<ModeChange> = z.strictObject({ root: z.string(), turn: z.string(), mode: approvalMode });

const agentStart: z.ZodType<AgentStart> = z.strictObject({
  root: z.string(),
  after: z.string(),
  session: origin.exactOptional(),
  model: z.string().min(1).exactOptional(),
  notice: notice.extend({ blocks: z.array(userBlock).min(1) }).exactOptional(),
  stream: z.custom<Provider['stream']>((value) => typeof value === 'function', { error: 'must be a function' }),
});
