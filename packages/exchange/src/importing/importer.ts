import { z } from 'zod';
import { editableText, findSecrets, renderBlockAsText } from '@loom/blocks';
import { senderOf } from '@loom/kernel';
import type { BlobPort, Request } from '@loom/kernel';
import type { DecideRoot, Forest, RootOp } from '@loom/kernel/logs';
import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode, LineEnd } from '../foreign/foreign.ts';
import { nameOf } from './format.ts';
import type { FoundFile } from './format.ts';
import { hasPurgedLines, hasUnmarkedPurge, keptLinesOf } from './import-note.ts';
import type { KeptLines } from './import-note.ts';
import { prepareNode } from './kept-blocks.ts';
import { decideChildLink, decideMovedChild, decideSender, movedChildren } from './upserting/child-link.ts';
import { NodeNames } from './upserting/node-names.ts';
import { loomSource } from './origins.ts';
import type { Origins, Parent } from './origins.ts';
import { decideFileTaken, decideRootFacts, filesIn, importedConfig } from './root-facts.ts';
import { decideLateResult, lateResults } from './upserting/late-views.ts';
import { keptBeside, lineOf } from './upserting/other-words.ts';
import type { Purges } from './upserting/other-words.ts';
import { decideRetract, decideUpsert, timeOf } from './upserting/upsert.ts';
import type { PreparedNode, UpsertPlace } from './upserting/upsert.ts';
import { decideAttach, decideEnd } from './upserting/windows.ts';

export interface ImporterOptions {
  forest: Forest;
  blobs: Pick<BlobPort, 'put'>;
  /** Ids of requests. */
  newId: () => string;
  /** The other program's name in origins. */
  source: string;
  origins: Origins;
  /** True if the other program rewrites messages while they grow. Loom's own exports are always written from scratch. */
  rewrites?: boolean;
  /** The time of the file's last write, in milliseconds since 1970: used for items without a time. */
  modified?: number;
  /** Closes what an earlier process left open in a conversation, before anything is added to it. */
  settle?: (root: string) => Promise<unknown>;
}

/** The numbers of new roots, nodes and blocks. */
export interface ImportCounts {
  roots_added: number;
  nodes_added: number;
  blocks_added: number;
}

/** The node that came earlier under the name of a line, and the files that its conversation was read from. */
interface OtherWords {
  readonly node: string;
  readonly files: readonly string[];
}

/** A conversation that is being imported. */
interface Target extends UpsertPlace {
  readonly root: string;
  /** Pieces of files that it holds already; `undefined` once they were purged, after which none are kept. */
  readonly lines: Set<string> | undefined;
  /** The last node that was written or found. */
  last: string | undefined;
  /** The time of its latest event, in milliseconds since 1970. */
  latest: number;
  /** True if the last imported message is older than that. */
  isBehind: boolean;
  isPiece: boolean;
}

const upsertValue = z.strictObject({
  node: z.string(),
  isNew: z.boolean(),
  blocks: z.number(),
  hidden_below: z.string().optional(),
  shown_again: z.string().optional(),
  others: z.array(z.string()).optional(),
  withheld: z.array(z.string()).optional(),
});
const removedValue = z.strictObject({ removed: z.number() });
const rootValue = z.strictObject({ root: z.string() });
const linkedValue = z.strictObject({ node: z.string().exactOptional() });
const attachedValue = z.strictObject({ attached: z.boolean() });
const addedValue = z.strictObject({ blocks: z.number() });
const notedValue = z.strictObject({ node: z.string() });

/** The node as which late blocks of a tool's result are prepared. */
const lateNode = { conversation: '', id: '', role: 'tool', source: { type: 'tool_result', tool_name: '' } } as const;

/** The number of messages appended at once: they share writes. */
const nodesAtOnce = 400;

/** Puts readers' items into a forest. One for each file, as long as it grows. */
export class Importer {
  /** The name of the other program in origins. */
  readonly source: string;
  readonly counts: ImportCounts = { roots_added: 0, nodes_added: 0, blocks_added: 0 };
  /** Roots that items went into. */
  readonly roots = new Set<string>();
  /** Conversations that were deleted in Loom. They are left alone. */
  readonly deleted = new Set<string>();
  /** Messages that were deleted in Loom, with the number of new ones hidden below each. */
  readonly hidden = new Map<string, number>();
  /** Messages that were merged into others and are shown again, because they have new children. */
  readonly shownAgain = new Set<string>();
  /** The number of secrets in messages that were added or extended. */
  secrets = 0;
  /** Lines whose content differs from the earlier content under the same name. */
  readonly others = new Map<string, OtherWords>();
  /** Lines that differ from the existing content, which may have been purged: they were left alone. */
  readonly withheld = new Set<string>();
  readonly #options: ImporterOptions;
  readonly #agent: string;
  readonly #targets = new Map<string, Target | undefined>();
  /** Announced sub-agents without a message so far: their conversations may be in separate files, or nowhere. */
  readonly #told = new Map<string, ForeignConversation>();
  /** Sub-agents whose call has no result yet, or whose conversation was not read yet. */
  readonly #links = new Map<string, { parents: readonly Parent[]; root: string }>();
  /** Conversations that started those that were read, for Loom's own exports. */
  readonly #senders = new Set<string>();
  #first: string | undefined;

  constructor(options: ImporterOptions) {
    this.source = options.source;
    this.#options = options;
    this.#agent = `import:${options.source}`;
  }

  /** Imports items; resolves once all of them are durable. Items that come again add their new parts. */
  async take(items: Iterable<ForeignItem>): Promise<void> {
    let nodes: ForeignNode[] = [];
    const flush = async (): Promise<void> => {
      const batch = nodes;
      nodes = [];
      if (batch.length > 0) await this.#takeNodes(batch);
    };
    for (const item of items) {
      if (item.type === 'node') {
        if (
          nodes.length === nodesAtOnce ||
          (nodes[0]?.conversation ?? item.node.conversation) !== item.node.conversation
        )
          await flush();
        nodes.push(item.node);
        continue;
      }
      await flush();
      if (item.type === 'conversation') await this.#takeConversation(item.conversation);
      else await this.#retract(item.conversation, item.keys);
    }
    await flush();
    await this.#linkChildren();
  }

  /** True if the lines that are read may be kept verbatim: not if they were purged. `undefined` before they belong to a conversation. */
  get keepsLines(): boolean | undefined {
    return this.#first === undefined ? undefined : this.#targets.get(this.#first)?.lines !== undefined;
  }

  /** Notes the blobs with the bytes of the file, at the message that was read last. */
  async keepLines(pieces: readonly KeptLines[]): Promise<void> {
    const target = this.#targets.get(this.#first ?? '');
    const fresh = pieces.filter(({ blob }) => target?.lines?.has(blob) === false);
    if (target?.last === undefined || fresh.length === 0) return;
    const { last: node } = target;
    await this.#change(target.root, notedValue, (state) => {
      const known = state.nodes.get(node);
      if (known === undefined) return { ok: true, ops: [], value: { node } };
      const note = { ...known.note, lines: [...keptLinesOf(known), ...fresh].map((piece) => ({ ...piece })) };
      return { ok: true, ops: [{ type: 'node-changed', node, set: { note } }], value: { node }, time: state.updated };
    });
    for (const { blob } of fresh) target.lines?.add(blob);
  }

  /** Connects the imported messages with other files of the same conversations: those that continue below them, and those that they continue. */
  async connect(ends: readonly LineEnd[]): Promise<void> {
    const { source } = this.#options;
    for (const { conversation, node, line } of ends) {
      const target = this.#targets.get(conversation);
      if (target === undefined) continue;
      await this.#change(target.root, notedValue, (state) => {
        const known = NodeNames.of(state, source).find(node);
        return known === undefined
          ? { ok: true, ops: [], value: { node } }
          : decideEnd(state, { node: known, line }, source);
      });
    }
    const attach = (root: string) => this.#change(root, attachedValue, (state) => decideAttach(state, source));
    for (const root of this.roots) {
      while ((await attach(root))?.attached === true);
      await this.#completeResults(root);
    }
    if (source === loomSource) for (const root of [...this.roots, ...this.#senders]) await this.#moveChildren(root);
  }

  /**
   * Sub-agents that were exported from another forest have other ids here: links get the new ids, and the sub-agents get the node that started them.
   */
  async #moveChildren(root: string): Promise<void> {
    const { forest, origins } = this.#options;
    const find = (id: string): string | undefined => origins.find(loomSource, [id]);
    const { value: moved } = await forest.log(root).read((state) => (state.deleted ? [] : movedChildren(state, find)));
    for (const child of moved) {
      const done = await this.#change(root, linkedValue, (state) => decideMovedChild(state, child));
      const sender = done?.node;
      if (sender !== undefined) await this.#change(child.root, rootValue, (state) => decideSender(state, sender));
    }
  }

  /** Adds views to results whose calls stand in other files. */
  async #completeResults(root: string): Promise<void> {
    const { forest, blobs, source } = this.#options;
    const { value: late } = await forest.log(root).read((state) => lateResults(state, source));
    for (const result of late) {
      const { blocks: views } = await prepareNode({ ...lateNode, blocks: result.views }, blobs);
      const place = { agent: this.#agent, source };
      const done = await this.#change(root, addedValue, (state) =>
        decideLateResult(state, { ...result, views }, place),
      );
      this.counts.blocks_added += done?.blocks ?? 0;
    }
  }

  /** Notes that a file is imported completely. */
  async noteFile(file: FoundFile): Promise<void> {
    const { bytes, modified } = file;
    const target = this.#targets.get(this.#first ?? '');
    for (const each of this.#targets.values())
      if (each !== undefined && (each.isBehind || each === target)) await this.#noteLatest(each);
    if (target === undefined) return;
    const taken = { bytes, modified };
    const awaited = this.#awaitedBy(target);
    await this.#change(target.root, rootValue, (state) => decideFileTaken(state, nameOf(file), taken, awaited));
    this.#options.origins.noteFile(file);
  }

  /** Returns the announced sub-agents of a conversation that were not read yet, with their calls. */
  #awaitedBy({ root }: Target): Map<string, string> {
    const told = [...this.#told.values()].filter(
      ({ parent }) => parent !== undefined && this.#targets.get(parent.conversation)?.root === root,
    );
    return new Map(told.flatMap(({ id, parent }) => (parent === undefined ? [] : [[id, parent.call]])));
  }

  /** Branches do not come in the order of their times: a conversation is as recent as the latest of them, not as the last. */
  async #noteLatest({ root, latest: time }: Target): Promise<void> {
    await this.#change(root, rootValue, (state) => {
      const ops: RootOp[] = state.updated < time ? [{ type: 'counters-raised', node: 0, blocks: {}, others: 0 }] : [];
      return { ok: true, ops, value: { root }, time };
    });
  }

  async #takeConversation(conversation: ForeignConversation): Promise<void> {
    const { origins, source } = this.#options;
    const { id, aliases = [], parent } = conversation;
    this.#first ??= id;
    const isThere = this.#targets.has(id) || origins.find(source, [id, ...aliases]) !== undefined;
    if (parent === undefined || isThere) {
      await this.#applyConversation(conversation);
      return;
    }
    this.#told.set(id, conversation);
    origins.noteParent(source, id, parent);
  }

  async #applyConversation(conversation: ForeignConversation): Promise<void> {
    const { origins, source } = this.#options;
    this.#told.delete(conversation.id);
    const known = this.#targets.get(conversation.id);
    const target = known ?? (await this.#open(conversation));
    if (target === undefined) return;
    for (const name of [conversation.id, ...(conversation.aliases ?? [])]) origins.add(source, name, target.root);
    const facts = await this.#change(target.root, rootValue, (state) => decideRootFacts(state, conversation));
    if (!facts) return;
    const noted = origins.parentsOf(source, conversation.id);
    const parents = conversation.parent === undefined ? noted : [conversation.parent, ...noted];
    const sender = conversation.config === undefined ? undefined : senderOf(conversation.config);
    const sending = sender === undefined ? undefined : origins.find(source, [sender.replace(/\/[^/]*$/u, '')]);
    if (sending !== undefined) this.#senders.add(sending);
    if (parents.length > 0) this.#links.set(conversation.id, { parents, root: target.root });
  }

  /** Finds the root of a conversation, or creates it. `undefined` if a user has deleted it. */
  async #open(conversation: ForeignConversation): Promise<Target | undefined> {
    const { forest, origins, source } = this.#options;
    const { id, aliases = [], created_at = '' } = conversation;
    const found = origins.find(source, [id, ...aliases]);
    if (found !== undefined) await this.#options.settle?.(found);
    const root = found ?? (await this.#create(conversation, created_at));
    const target = root === undefined ? undefined : await this.#target(forest, root);
    if (target === undefined) this.deleted.add(id);
    else this.roots.add(target.root);
    this.#targets.set(id, target);
    return target;
  }

  async #create(conversation: ForeignConversation, createdAt: string): Promise<string | undefined> {
    const { forest, source, modified } = this.#options;
    // The request is named by its content: of two imports of the same file at once, only one creates the root.
    const request = { agent: this.#agent, id: `import ${source} ${conversation.id}` };
    const time = Date.parse(createdAt);
    const config = importedConfig(source, conversation);
    const made = await forest.createRoot(request, config, Number.isNaN(time) ? modified : time);
    if (!made.ok) throw new Error(`a conversation cannot be made: ${made.refusal.reason}`);
    this.counts.roots_added += 1;
    const { root } = made.value;
    const { title, tags = [] } = conversation;
    if (title !== undefined || tags.length > 0) {
      const marks = { ...(title === undefined ? {} : { title }), ...(tags.length === 0 ? {} : { tags: [...tags] }) };
      await this.#change(root, rootValue, (state) => ({
        ok: true,
        ops: state.title === undefined ? [{ type: 'root-changed', ...marks }] : [],
        value: { root },
        time: state.updated,
      }));
    }
    return root;
  }

  async #target(forest: Forest, root: string): Promise<Target | undefined> {
    const { source, rewrites = source === loomSource } = this.#options;
    const { value } = await forest.log(root).read((state) => {
      if (state.deleted) return undefined;
      NodeNames.renew(state, source);
      let lines: Set<string> | undefined = new Set<string>();
      let hasUnmarked = false;
      for (const node of state.nodes.values()) {
        if (hasPurgedLines(node)) lines = undefined;
        hasUnmarked ||= hasUnmarkedPurge(node);
        for (const { blob } of keptLinesOf(node)) lines?.add(blob);
      }
      // Without kept lines, purges by the first versions left no trace at all.
      if (lines?.size === 0 && state.nodes.size > 0) hasUnmarked = true;
      const purges: Purges = hasUnmarked ? 'unmarked' : 'marked';
      return { lines, purges, latest: state.updated };
    });
    if (value === undefined) return undefined;
    return {
      root,
      agent: this.#agent,
      source,
      ...value,
      last: undefined,
      isBehind: false,
      isPiece: false,
      rewrites,
    };
  }

  async #takeNodes(batch: readonly ForeignNode[]): Promise<void> {
    const told = this.#told.get(batch[0]?.conversation ?? '');
    if (told !== undefined) await this.#applyConversation(told);
    const target = this.#targets.get(batch[0]?.conversation ?? '');
    if (target === undefined) return;
    const { blobs } = this.#options;
    target.isPiece ||= batch.some(({ above }) => above !== undefined);
    const prepared = await Promise.all(batch.map((node) => prepareNode(node, blobs)));
    const outcomes = await Promise.all(
      prepared.map((node) => this.#change(target.root, upsertValue, (state) => decideUpsert(state, node, target))),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome) continue;
      // A message that is not kept may have none above it.
      if (outcome.node !== '') target.last = outcome.node;
      const time = timeOf(batch[index] ?? {}) ?? target.latest;
      target.latest = Math.max(target.latest, time);
      target.isBehind = time < target.latest;
      if (outcome.isNew) this.counts.nodes_added += 1;
      this.counts.blocks_added += outcome.blocks;
      if (outcome.blocks > 0) this.secrets += secretsIn(prepared[index]?.blocks ?? []);
      const { hidden_below: below, shown_again: shown } = outcome;
      if (below !== undefined) this.hidden.set(below, (this.hidden.get(below) ?? 0) + 1);
      if (shown !== undefined) this.shownAgain.add(shown);
      for (const key of outcome.withheld ?? []) this.withheld.add(lineOf(key, batch[index]?.conversation ?? ''));
      const node = prepared[index];
      if (node !== undefined && outcome.others !== undefined)
        await this.#keepBeside(target, node, new Set(outcome.others), batch[index]?.conversation ?? '');
    }
  }

  /** Keeps a block whose name was taken, beside the one that has it. */
  async #keepBeside(
    target: Target,
    node: PreparedNode,
    keys: ReadonlySet<string>,
    conversation: string,
  ): Promise<void> {
    const { blobs, source } = this.#options;
    const blocks = node.blocks.filter(({ key }) => keys.has(key)).map((block) => keptBeside(block, source));
    const beside = await prepareNode({ ...node, conversation, blocks }, blobs);
    let files: string[] = [];
    const kept = await this.#change(target.root, upsertValue, (state) => {
      files = [...filesIn(state.config).keys()];
      return decideUpsert(state, beside, target);
    });
    if (!kept) return;
    this.counts.blocks_added += kept.blocks;
    for (const key of keys) this.others.set(lineOf(key, conversation), { node: kept.node, files });
  }

  async #retract(conversation: string, keys: readonly string[]): Promise<void> {
    const target = this.#targets.get(conversation);
    if (target === undefined) return;
    await this.#change(target.root, removedValue, (state) => decideRetract(state, keys, target));
  }

  /** Links the conversations of sub-agents to the calls that started them, as soon as both are there. */
  async #linkChildren(): Promise<void> {
    for (const [id, { parents, root }] of this.#links) {
      for (const parent of parents) {
        if (!(await this.#linkChild(id, parent, root))) continue;
        this.#links.delete(id);
        break;
      }
    }
  }

  /** Returns false if the call has no result there. */
  async #linkChild(name: string, { conversation, call }: Parent, root: string): Promise<boolean> {
    const { origins, source } = this.#options;
    const parentRoot = this.#targets.get(conversation)?.root ?? origins.find(source, [conversation]);
    if (parentRoot === undefined) return false;
    const done = await this.#change(parentRoot, linkedValue, (state) =>
      decideChildLink(state, { agent: this.#agent, name, call, root }),
    );
    const sender = done?.node;
    if (sender !== undefined) await this.#change(root, rootValue, (state) => decideSender(state, sender));
    // Nothing is shown of a conversation that a user has deleted.
    return done === undefined || sender !== undefined;
  }

  /** Returns `undefined` if a user has deleted the conversation meanwhile. */
  async #change<T>(root: string, schema: z.ZodType<T>, decide: DecideRoot<T>): Promise<T | undefined> {
    const { forest, newId, modified } = this.#options;
    const request: Request = { agent: this.#agent, id: newId() };
    const outcome = await forest.change(request, root, schema, (state, ...tools) => {
      const decided = decide(state, ...tools);
      if (!decided.ok || decided.time !== undefined || modified === undefined) return decided;
      return { ...decided, time: modified };
    });
    if (outcome.ok) return outcome.value;
    if (outcome.refusal.reason === 'root-deleted') return undefined;
    throw new Error(`what was imported is refused: ${JSON.stringify(outcome.refusal)}`);
  }
}

function secretsIn(blocks: readonly ForeignBlock[]): number {
  return blocks.reduce(
    (sum, { block }) => sum + findSecrets(editableText(block) ?? renderBlockAsText(block)).length,
    0,
  );
}
