import {
  blockKinds,
  carryLineEdits,
  cleanText,
  editableText,
  lineCount,
  planLineEdits,
  readLines,
  toBase64,
} from '@loom/blocks';
import { diffTexts, formatDiff, planPatch } from '@loom/blocks/patch';
import type { z } from 'zod';
import type { TextCursor } from '../cursor.ts';
import type { DecideRoot, Forest } from '../forest/forest.ts';
import { isVisible } from '../state/tree/tree.ts';
import type { Request } from '../request.ts';
import type { Ids } from '../ports.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { RootState } from '../state/root-state.ts';
import { unknownKind } from '../search/block-filter.ts';
import { numberMatches } from '../search/numbered-matches.ts';
import { searchText } from '../search/text-search.ts';
import type { TextIndex } from '../search/text-index.ts';
import { subscribeToBlocks, syncBlocks } from './block-feed.ts';
import { listBelow } from './block-list.ts';
import { nodeOfPlace, placeOfBlock, refuseMissingBlock, rootOfId } from '../forest/reading/block-place.ts';
import type { PlacedBlock } from '../forest/reading/block-place.ts';
import { contentOf } from '../forest/reading/block-place.ts';
import { decideCreate } from './create-block.ts';
import { editStateOf, unitOfEdit } from './versions/made-edits.ts';
import { RootDirectory } from './root-directory.ts';
import * as schemas from './schemas.ts';
import { compileParams, searchForest } from './search-forest.ts';
import {
  decideAppendText,
  decideEdit,
  decideFlip,
  decideSplice,
  decideStatus,
  decideUpdate,
} from './text-decisions.ts';
import type { ClientUpdate, TextPlan } from './text-decisions.ts';
import type { VersionRow } from './versions/recent-versions.ts';
import { VersionReader } from './versions/version-reader.ts';

/** The starting point of a client that edits a text along with others. Without an update the text itself is the seed. */
export interface SharedText {
  version: number;
  text: string;
  /** The whole document, in base64. */
  update?: string;
}

/** The limits of an undo or redo. */
export interface FlipLimits {
  /** The version of a client's document that it was asked in. */
  seed?: number;
  /** True for a caller that may name edits of its own alone. */
  onlyOwn?: boolean;
}

/** The reply of a tool: its result, or a refusal that says why nothing was done. */
export type Answer<T> = T | Refused;

type Params<Schema extends () => z.ZodType> = z.infer<ReturnType<Schema>>;
type Result<Schema extends () => z.ZodType> = Promise<Answer<Params<Schema>>>;
type VersionAnswer = Result<typeof schemas.versionResult>;

export interface BlockToolsOptions {
  forest: Forest;
  ids: Ids;
  /** Searches conversations without opening them; without one all are opened. */
  index?: TextIndex;
}

/**
 * The block operations for people and models: the same for a library call, HTTP, MCP and a model's tool. Each returns its
 * result or a refusal as data; nothing is half done.
 */
export class BlockTools {
  readonly #options: BlockToolsOptions;
  readonly #forest: Forest;
  readonly #ids: Ids;
  readonly #roots: RootDirectory;
  readonly #versions: VersionReader;
  readonly #index: TextIndex | undefined;

  constructor(options: BlockToolsOptions, only?: ReadonlySet<string>) {
    const { forest, ids, index } = options;
    this.#options = options;
    this.#forest = forest;
    this.#ids = ids;
    this.#index = index;
    this.#roots = new RootDirectory(forest, only);
    this.#versions = new VersionReader(this.#roots);
  }

  /** The same tools, for a caller that sees only these conversations: others are not there. */
  within(roots: readonly string[]): BlockTools {
    return new BlockTools(this.#options, new Set(roots));
  }

  async create(request: Request, params: Params<typeof schemas.createParams>): Result<typeof schemas.createResult> {
    const { parent_id: parent } = params;
    const newCallId = (): string => `call_${this.#ids.next()}`;
    if (parent === undefined) {
      // A refused request must not leave an empty conversation behind.
      const trial = decideCreate(new RootState('root'), request.agent, params, newCallId);
      if (!trial.ok) return trial;
    }
    const root = parent === undefined ? await this.#newRoot(request) : rootOfId(parent);
    if (typeof root !== 'string') return root;
    return this.#change(request, parent ?? root, schemas.createResult(), (state) =>
      decideCreate(state, request.agent, params, newCallId),
    );
  }

  status(request: Request, params: Params<typeof schemas.statusParams>): VersionAnswer {
    return this.#changeText(request, params.block_id, (state) => decideStatus(state, params));
  }

  append(request: Request, params: Params<typeof schemas.appendParams>): VersionAnswer {
    return this.#changeText(request, params.block_id, (state, editor) =>
      decideAppendText(state, request.agent, params, editor),
    );
  }

  /** Edits lines. With `base_version` they are those of that version, carried over the changes since. */
  async edit(request: Request, params: Params<typeof schemas.editParams>): VersionAnswer {
    const { block_id, base_version: base } = params;
    const operations = params.operations.map((operation) =>
      operation.op === 'delete' ? operation : { ...operation, content: cleanText(operation.content) },
    );
    if (base === undefined) {
      return this.#changeText(request, block_id, (state, editor) =>
        decideEdit(state, block_id, editor, (text) => planLineEdits(text, operations)),
      );
    }
    for (;;) {
      const since = await this.#versions.since(block_id, base);
      if ('refusal' in since) return since;
      let isOutdated = false;
      const answer = await this.#changeText(request, block_id, (state, editor) =>
        decideEdit(state, block_id, editor, (_text, block) => {
          isOutdated = block.version !== since.version;
          return isOutdated
            ? refuse({ reason: 'text-replaced', block: block_id })
            : carryLineEdits(since.text, since.later, operations);
        }),
      );
      if (!isOutdated) return answer;
    }
  }

  splice(request: Request, params: Params<typeof schemas.spliceParams>): VersionAnswer {
    return this.#changeText(request, params.block_id, (state, editor) => decideSplice(state, params, editor));
  }

  /** Applies a unified diff, or only says whether it could be applied. */
  async applyPatch(
    request: Request,
    { block_id, patch, dry_run = false }: Params<typeof schemas.patchParams>,
  ): Result<typeof schemas.patchResult> {
    let offsets: number[] | undefined;
    const plan = (text: string): TextPlan => {
      const planned = planPatch(text, cleanText(patch));
      if (!planned.ok) return refuse({ reason: 'patch-failed', errors: planned.errors });
      offsets = planned.offsets;
      return planned;
    };
    if (dry_run) {
      const found = await this.#read(block_id, (_state, { block }) => block);
      if ('refusal' in found) return found;
      const text = editableText(found);
      if (text === undefined) return refuse({ reason: 'not-text', block: block_id, kind: found.type });
      const planned = plan(text);
      return planned.ok ? { offsets: offsets ?? [] } : refuse(planned.refusal);
    }
    const answer = await this.#changeText(request, block_id, (state, editor) =>
      decideEdit(state, block_id, editor, plan),
    );
    // A request that is repeated is not planned again.
    return 'refusal' in answer || offsets === undefined ? answer : { ...answer, offsets };
  }

  /** `seed`: the version of a client's document that it was asked in. In a text that has replaced that one nothing is done. */
  undo(request: Request, params: Params<typeof schemas.undoParams>, limits: FlipLimits = {}): VersionAnswer {
    return this.#flip(request, 'undo', params, limits);
  }

  redo(request: Request, params: Params<typeof schemas.undoParams>, limits: FlipLimits = {}): VersionAnswer {
    return this.#flip(request, 'redo', params, limits);
  }

  async #flip(
    request: Request,
    which: 'undo' | 'redo',
    { block_id: id, version }: Params<typeof schemas.undoParams>,
    { seed = Infinity, onlyOwn = false }: FlipLimits,
  ): VersionAnswer {
    if (version === undefined) {
      return this.#changeText(request, id, (state, editor) =>
        decideFlip(state, request.agent, { id, which, seed }, editor),
      );
    }
    const made = await this.#versions.editAt(id, version);
    if (made !== undefined && 'refusal' in made) return made;
    if (made === undefined) return refuse({ reason: 'nothing-to-undo', which, block: id, version });
    if (onlyOwn && made.agent !== request.agent) return refuse({ reason: 'not-permitted', needs: 'person' });
    const edit = { ...made, version };
    return this.#changeText(request, id, (state, editor) =>
      decideFlip(state, request.agent, { id, which, seed, edit }, editor),
    );
  }

  /** Takes in an update that a client made for its own document of a block. */
  update(request: Request, params: ClientUpdate): VersionAnswer {
    return this.#changeText(request, params.block_id, (state, editor) =>
      decideUpdate(state, request.agent, params, editor),
    );
  }

  /** A text for a client that edits along: with the document that it has by now, if it has one. */
  async document(block_id: string): Promise<Answer<SharedText>> {
    const { openText, readAtOnce } = await import('../forest/editing/text/open-text.ts');
    const log = await this.#roots.logOf(block_id);
    const found = await log?.read((state): Answer<SharedText> => {
      const { block } = placeOfBlock(state, block_id) ?? {};
      if (block === undefined) return refuseMissingBlock(block_id, state);
      const text = editableText(block);
      if (text === undefined) return refuse({ reason: 'not-text', block: block_id, kind: block.type });
      const shared = { version: block.version ?? 1, text };
      if (state.texts.get(block_id)?.hasDocument !== true) return shared;
      return { ...shared, update: toBase64(openText(state, block_id, readAtOnce).encode()) };
    });
    return found?.value ?? refuseMissingBlock(block_id);
  }

  async read({
    block_id,
    line_numbers = true,
    range,
    version,
  }: Params<typeof schemas.readParams>): Result<typeof schemas.readResult> {
    const found = await this.#read(block_id, (_state, place) => place);
    if ('refusal' in found) return found;
    const { node, block } = found;
    const at = version === undefined ? undefined : await this.#versions.at(block_id, version);
    if (at !== undefined && 'refusal' in at) return at;
    const text = contentOf(at?.block ?? block);
    const reading = readLines(text, range, line_numbers);
    if (!reading.ok) return reading;
    return {
      content: reading.content,
      metadata: block.metadata ?? {},
      role: node.role,
      kind: block.type,
      status: at?.status ?? block.status ?? 'done',
      version: at?.version ?? block.version ?? 1,
      line_count: lineCount(text),
    };
  }

  async search(params: Params<typeof schemas.searchParams>): Result<typeof schemas.searchResult> {
    const compiled = await compileParams(params);
    if (!compiled.ok) return compiled;
    const text = await this.#read(params.block_id, (_state, { block }) => contentOf(block));
    if (typeof text !== 'string') return text;
    const { matches, truncated } = searchText(text, compiled.matcher, params);
    return { matches: numberMatches(matches, params), truncated };
  }

  /** Searches all conversations, until `signal` says that its caller no longer waits: then it returns the matches found so far. */
  searchAll(
    params: Params<typeof schemas.kernelSearchParams>,
    signal?: AbortSignal,
  ): Result<typeof schemas.kernelSearchResult> {
    const kind = unknownKind(params.kinds);
    if (kind !== undefined) return Promise.resolve(refuseKind('kinds', kind));
    return searchForest({ forest: this.#forest, roots: this.#roots, index: this.#index }, params, signal);
  }

  async list({
    parent_id,
    depth = 1,
    ...filter
  }: Params<typeof schemas.listParams>): Result<typeof schemas.listResult> {
    const kind = filter.kind === undefined ? undefined : unknownKind([filter.kind]);
    if (kind !== undefined) return refuseKind('kind', kind);
    if (parent_id !== undefined) {
      const log = await this.#roots.logOf(parent_id);
      const below = await log?.read((state) => {
        const isThere = !state.deleted && isVisible(state, nodeOfPlace(state, parent_id));
        return isThere ? listBelow(state, parent_id, depth, filter) : undefined;
      });
      return below?.value ?? refuseMissingBlock(parent_id);
    }
    const listed: z.infer<ReturnType<typeof schemas.listResult>> = [];
    for (const root of await this.#roots.all()) {
      const below = await this.#forest.readUnlessDamaged(root, (state) =>
        state.deleted ? [] : listBelow(state, root, depth, filter),
      );
      listed.push(...(below ?? []));
    }
    return listed;
  }

  async history({
    block_id,
    before = Infinity,
    limit = 100,
    edits = false,
  }: Params<typeof schemas.historyParams>): Result<typeof schemas.historyResult> {
    const rows = await this.#versions.newest(block_id, before, limit);
    if ('refusal' in rows) return rows;
    const states = edits ? await this.#editStates(block_id, rows) : undefined;
    return rows.map((row) => {
      const edit = states?.get(row.seq);
      return { ...row, time: new Date(row.time).toISOString(), ...(edit === undefined ? {} : { edit }) };
    });
  }

  /** The states of the edits that made some versions, by their changes. Replaced texts have none. */
  async #editStates(block: string, rows: readonly VersionRow[]): Promise<Map<number, schemas.EditState>> {
    const made = await this.#versions.editsOf(block, rows);
    const log = made.size === 0 ? undefined : await this.#roots.logOf(block);
    if (log === undefined) return new Map();
    const { openText, readAtOnce } = await import('../forest/editing/text/open-text.ts');
    const { value } = await log.read((state): Map<number, schemas.EditState> => {
      const found = state.texts.has(block) ? placeOfBlock(state, block)?.block : undefined;
      const isText = found !== undefined && editableText(found) !== undefined;
      const units = isText ? openText(state, block, readAtOnce).units : [];
      return new Map(
        [...made].flatMap(([seq, edit]): [number, schemas.EditState][] => {
          const unit = unitOfEdit(units, edit);
          return unit === undefined ? [] : [[seq, editStateOf(unit)]];
        }),
      );
    });
    return value;
  }

  async diff({
    block_id,
    from_version,
    to_version,
  }: Params<typeof schemas.diffParams>): Result<typeof schemas.diffResult> {
    const found = await this.#versions.pair(block_id, from_version, to_version);
    if ('refusal' in found) return found;
    const { before, after } = found;
    const hunks = diffTexts(contentOf(before.block), contentOf(after.block));
    const { version: to } = after;
    return { from_version, to_version: to, diff: formatDiff(`v${from_version}`, `v${to}`, hunks) ?? '' };
  }

  sync(params: Params<typeof schemas.syncParams>): Result<typeof schemas.syncResult> {
    return syncBlocks(this.#roots, params);
  }

  subscribe(
    params: Params<typeof schemas.subscribeParams>,
    listener: (patch: schemas.BlockPatch) => void,
  ): Promise<Answer<() => void>> {
    return subscribeToBlocks(this.#roots, params, listener);
  }

  /** Tells the subscribers in this process where the agent is in a text. */
  async setCursor(
    agent: string,
    { block_id, anchor, head = anchor }: Params<typeof schemas.cursorParams>,
  ): Result<typeof schemas.cursorResult> {
    const found = await this.#read(block_id, (_state, { block }) => block);
    if ('refusal' in found) return found;
    const { version = 1 } = found;
    const length = editableText(found)?.length;
    if (length === undefined) return refuse({ reason: 'not-text', block: block_id, kind: found.type });
    if (Math.max(anchor, head) > length)
      return refuseValue(
        [anchor > length ? 'anchor' : 'head'],
        `must be at most ${length}, the length of the text in UTF-16 units`,
      );
    const cursor: TextCursor = { agent, block: block_id, version, anchor, head };
    this.#forest.log(rootOfId(block_id)).announce(cursor);
    return { version };
  }

  async #newRoot(request: Request): Promise<Answer<string>> {
    const created = await this.#forest.createRoot({ ...request, id: `${request.id}/root` });
    return created.ok ? created.value.root : created;
  }

  #changeText(request: Request, block: string, decide: DecideRoot<{ version: number }>): VersionAnswer {
    return this.#change(request, block, schemas.versionResult(), decide);
  }

  async #change<T>(request: Request, id: string, schema: z.ZodType<T>, decide: DecideRoot<T>): Promise<Answer<T>> {
    const root = rootOfId(id);
    if (!this.#roots.isSeen(root) && (await this.#roots.logOf(id)) === undefined) return refuseMissingBlock(id);
    const outcome = await this.#forest.change(request, root, schema, decide);
    if (outcome.ok) return outcome.value;
    // A caller that names an unknown block need not know what a root is.
    const isUnknown = outcome.refusal.reason === 'root-not-found' || outcome.refusal.reason === 'root-deleted';
    return isUnknown ? refuseMissingBlock(id) : outcome;
  }

  async #read<T>(id: string, read: (state: RootState, place: PlacedBlock) => T): Promise<Answer<T>> {
    const log = await this.#roots.logOf(id);
    const found = await log?.read((state): Answer<T> => {
      const place = placeOfBlock(state, id);
      return place === undefined ? refuseMissingBlock(id, state) : read(state, place);
    });
    return found?.value ?? refuseMissingBlock(id);
  }
}

function refuseKind(param: 'kind' | 'kinds', kind: string): Refused {
  return refuseValue([param], `has no kind of block ${JSON.stringify(kind)}; there are ${blockKinds.join(', ')}`);
}
