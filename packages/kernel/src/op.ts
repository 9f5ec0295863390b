import { z } from 'zod';
import {
  blobId,
  blockStatus,
  cleanObject,
  cleanString,
  messageBlock,
  plainObject,
  toolBlock,
  userBlock,
} from '@loom/blocks';
import { sourceInfo } from './node-metadata.ts';

/** The config that a root was made with. Callers may keep more than the prompt in it. */
export const rootConfig = z.looseObject({ systemPrompt: cleanString.exactOptional() });
export type RootConfig = z.infer<typeof rootConfig>;

/** The freedom of tools to act in a conversation. */
export const approvalMode = z.enum(['plan', 'ask', 'edit', 'sandbox']);
export type ApprovalMode = z.infer<typeof approvalMode>;

/** The origin of something that came from elsewhere: another program, and its name there. */
export const origin = z.strictObject({ source: cleanString, id: cleanString });
export type Origin = z.infer<typeof origin>;

/**
 * A permission as data: the calls that it covers, and its effect on them. A field that is absent does not narrow it. `provider` is the
 * form that the agent which suggests the rule knows it by.
 */
export const permissionRule = z.strictObject({
  tool: cleanString,
  path: cleanString.exactOptional(),
  command: cleanString.exactOptional(),
  host: cleanString.exactOptional(),
  directory: cleanString.exactOptional(),
  effect: z.enum(['allow', 'ask', 'deny']),
  provider: plainObject.exactOptional(),
});
export type PermissionRule = z.infer<typeof permissionRule>;

/** One question to a person, with the answers to choose from; `several` may be chosen. Without choices the answer is free text. */
export const question = z.strictObject({
  text: cleanString,
  choices: z
    .array(z.strictObject({ label: cleanString, detail: cleanString.exactOptional() }))
    .min(1)
    .exactOptional(),
  several: z.literal(true).exactOptional(),
});
export type Question = z.infer<typeof question>;

/** The answer to one question: the labels that were chosen, words beside or instead of them, or both. */
export const answer = z.strictObject({
  chosen: z.array(cleanString).exactOptional(),
  text: cleanString.exactOptional(),
});
export type Answer = z.infer<typeof answer>;

/** The question to a person about a call: to approve it, or to answer questions. */
export const ask = z.strictObject({
  kind: z.enum(['ask', 'question']),
  preview: z.array(toolBlock),
  questions: z.array(question).min(1).exactOptional(),
  /** The rules that "always" would store. */
  rules: z.array(permissionRule).min(1).exactOptional(),
  /** The modes that an approval may give the conversation; the first one unless the person chooses another. */
  modes: z.array(approvalMode).min(1).exactOptional(),
});
export type Ask = z.infer<typeof ask>;

/** The agent of decisions that a rule made instead of a person. */
export const ruleAgent = 'loom:rule';

/** The reach of a decision: this call, or all that its rules cover in the conversation, in its folder, or anywhere. */
export const decisionScope = z.enum(['once', 'conversation', 'folder', 'anywhere']);
export type DecisionScope = z.infer<typeof decisionScope>;

/** A message that a program wrote in a person's name, such as a notice that a task has ended. */
export const notice = z.strictObject({ kind: cleanString });
export type Notice = z.infer<typeof notice>;

/** One replacement in a text, in UTF-16 offsets of the text before the op. */
const textSplice = z.strictObject({ at: z.int().nonnegative(), delete: z.int().nonnegative(), insert: cleanString });

/** The ids of characters that came back, and those under which they were first inserted. */
const textCopy = z.tuple([z.int(), z.int(), z.int(), z.int(), z.int()]);

/** A node as it is added: with its first blocks, because a reader could not show a message without any. */
const nodeSeed = z.strictObject({
  id: z.string(),
  /** A node, or the root itself. */
  parent: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  blocks: z.array(messageBlock),
  source: sourceInfo,
  tool_call_id: z.string().exactOptional(),
  is_error: z.boolean().exactOptional(),
  /** True if it was cut off from its parent and joins it without a seam. */
  continues: z.boolean().exactOptional(),
  turn: z.string().exactOptional(),
  tool: z.enum(['waiting', 'running', 'result', 'error', 'denied', 'interrupted']).exactOptional(),
  started_at: cleanString.exactOptional(),
  ended_at: cleanString.exactOptional(),
  origin: origin.exactOptional(),
  note: cleanObject.exactOptional(),
  notice: notice.exactOptional(),
  /** A text that the conversation holds beside its messages. Its parent is the root, but it belongs to no branch. */
  draft: z.literal(true).exactOptional(),
});
export type NodeSeed = z.infer<typeof nodeSeed>;
export type ToolState = NonNullable<NodeSeed['tool']>;

/** The changeable fields of a node as a whole; `null` removes a value. */
const nodeFields = z.strictObject({
  title: cleanString.nullable().exactOptional(),
  tags: z.array(cleanString).nullable().exactOptional(),
  exclude: z.array(z.string()).nullable().exactOptional(),
  context_start: z.boolean().nullable().exactOptional(),
  custom_data: plainObject.nullable().exactOptional(),
  continues: z.boolean().nullable().exactOptional(),
  is_error: z.boolean().nullable().exactOptional(),
  source: sourceInfo.exactOptional(),
  tool: nodeSeed.shape.tool,
  ask: ask.nullable().exactOptional(),
  started_at: cleanString.exactOptional(),
  ended_at: cleanString.exactOptional(),
  note: cleanObject.exactOptional(),
  /** Set once, for a node whose words came before its name. */
  origin: origin.exactOptional(),
  notice: notice.nullable().exactOptional(),
});
export type NodeFields = z.infer<typeof nodeFields>;

/** A tool as described to a model; `parameters` is a JSON Schema. */
export const toolDescription = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: plainObject,
});

const blockError = z.strictObject({ code: cleanString, message: cleanString });

/** Ops by which messages and blocks come, go, change their places or are replaced whole. */
const structureOps = [
  z.strictObject({
    type: z.literal('root-changed'),
    config: rootConfig.exactOptional(),
    title: cleanString.nullable().exactOptional(),
    tags: z.array(cleanString).nullable().exactOptional(),
    deleted: z.boolean().exactOptional(),
    /** Out of the way, but kept and searched. */
    archived: z.boolean().exactOptional(),
    /** The project that it belongs to. */
    project: cleanString.nullable().exactOptional(),
  }),
  z.strictObject({ type: z.literal('node-added'), node: nodeSeed }),
  z.strictObject({ type: z.literal('node-changed'), node: z.string(), set: nodeFields }),
  /** A tombstone: the node and everything below it are hidden until it is restored. */
  z.strictObject({ type: z.literal('node-removed'), node: z.string() }),
  z.strictObject({ type: z.literal('node-restored'), node: z.string() }),
  z.strictObject({ type: z.literal('node-moved'), node: z.string(), parent: z.string() }),
  z.strictObject({
    type: z.literal('node-split'),
    node: z.string(),
    /** The new node, which takes the left half and the node's place. */
    left: z.string(),
    /** The block that is cut, and the place of the cut, in UTF-16 offsets; at 0 the cut is before it. */
    block: z.int().nonnegative(),
    offset: z.int().nonnegative(),
    /** The ids of the left node's blocks. */
    ids: z.array(z.string()),
  }),
  /** The inverse of a split. */
  z.strictObject({ type: z.literal('node-joined'), node: z.string(), left: z.string() }),
  z.strictObject({
    type: z.literal('block-added'),
    node: z.string(),
    index: z.int().nonnegative(),
    block: messageBlock,
  }),
  z.strictObject({ type: z.literal('block-removed'), block: z.string() }),
  /** Replaces the content and the provider data of a block whole. */
  z.strictObject({ type: z.literal('block-changed'), block: messageBlock }),
] as const;

/** Ops that grow or edit the content of a block. */
const textOps = [
  z.strictObject({
    type: z.literal('text'),
    block: z.string(),
    /** None if everything that it deletes was deleted already. */
    splices: z.array(textSplice),
    /** The undo unit that it belongs to, among those of its agent. */
    unit: z.string(),
    /** The client id under which text documents see it. */
    client: z.int(),
    /** The update for the text document, in base64. Without one it follows from the splices. */
    update: z.string().exactOptional(),
  }),
  /** An undo unit of a text is undone or done again. */
  z.strictObject({
    type: z.literal('unit'),
    block: z.string(),
    /** Its place in the order in which the units of the text began, its agent and the name that its edits give it. */
    unit: z.int().nonnegative(),
    agent: z.string(),
    name: z.string(),
    to: z.enum(['undone', 'done']),
    splices: z.array(textSplice),
    /** Absent if nothing that can be seen changes. */
    update: z.string().exactOptional(),
    copies: z.array(textCopy),
  }),
  z.strictObject({
    type: z.literal('text-appended'),
    block: z.string(),
    field: z.enum(['text', 'arguments', 'stdout', 'stderr']),
    text: cleanString,
    unit: z.string(),
  }),
  /** Output that outgrew the log, so far: its bytes are in a spool until they become a blob. The first holds its beginning. */
  z.strictObject({
    type: z.literal('output'),
    block: z.string(),
    field: z.enum(['stdout', 'stderr']),
    bytes: z.int().nonnegative(),
    tail: cleanString,
    preview: cleanString.exactOptional(),
  }),
  z.strictObject({
    type: z.literal('status'),
    block: z.string(),
    status: blockStatus,
    error: blockError.exactOptional(),
    /** The fields of a generated block that are known only at its end. */
    ended_at: cleanString.exactOptional(),
    prefix: z.string().exactOptional(),
    provider: plainObject.exactOptional(),
    parameters: plainObject.exactOptional(),
  }),
] as const;

/** The marks of people. */
const markOps = [
  z.strictObject({ type: z.literal('bookmark'), node: z.string(), title: cleanString.nullable() }),
] as const;

/** Ops of turns and of the messages and calls that wait for them. */
const turnOps = [
  z.strictObject({
    type: z.literal('turn-started'),
    turn: z.string(),
    /** The node that it answers. */
    node: z.string(),
    provider: z.string(),
    model: z.string(),
    settings: plainObject,
    tools: z.array(z.string()),
    /**
     * The descriptions that its model gets of them; `same` is the last list given to a turn of this log. Older versions did
     * not say.
     */
    told: z.union([z.array(toolDescription), z.literal('same')]).exactOptional(),
    max_rounds: z.int().positive(),
    /** The node that its answer will begin with. */
    answer: z.string().exactOptional(),
    batch: z.string().exactOptional(),
    holder: z.string(),
    /** Absent: the caller that asked for it. `agent`: its provider began it without being asked. */
    started_by: z.literal('agent').exactOptional(),
    /** The caller runs the calls of this turn: Loom neither runs nor answers them. */
    leaves_calls: z.literal(true).exactOptional(),
    /** The credential that it was asked for with: it ends with that. */
    credential: cleanString.exactOptional(),
    /** A person lets it spend beyond a limit that was reached. */
    beyond_limits: z.literal(true).exactOptional(),
  }),
  /** The provider tries again after a while. Known until the turn writes something. */
  z.strictObject({
    type: z.literal('turn-retrying'),
    turn: z.string(),
    attempt: z.int().positive(),
    delay_ms: z.number().nonnegative(),
    reason: cleanString,
  }),
  /** Another process goes on with the turn. */
  z.strictObject({ type: z.literal('turn-taken'), turn: z.string(), holder: z.string() }),
  z.strictObject({
    type: z.literal('turn-ended'),
    turn: z.string(),
    reason: z.enum(['done', 'aborted', 'error', 'interrupted', 'max-rounds', 'no-room', 'limit']),
    error: blockError.exactOptional(),
  }),
  z.strictObject({ type: z.literal('tool-started'), turn: z.string(), node: z.string() }),
  z.strictObject({
    type: z.literal('approval'),
    turn: z.string(),
    node: z.string(),
    decision: z.enum(['approved', 'denied', 'answered']),
    /** The exact arguments that were decided on. */
    arguments: z.string(),
    /** The reason that a call was denied, or the answer to its question. */
    text: cleanString.exactOptional(),
    scope: decisionScope.exactOptional(),
    /** The rules that were stored with it, as they were shown. */
    rules: z.array(permissionRule).min(1).exactOptional(),
    /** One for each question, in their order. */
    answers: z.array(answer).min(1).exactOptional(),
    /** The arguments that the person put in the place of those that were asked about. */
    arguments_changed: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('message-waiting'),
    id: z.string(),
    turn: z.string(),
    /** A steering message joins the turn after its current round, a queued one starts the next turn. */
    kind: z.enum(['steer', 'queue']),
    blocks: z.array(userBlock).min(1),
    /** The credential that it was sent with. */
    credential: cleanString.exactOptional(),
  }),
  z.strictObject({ type: z.literal('message-taken'), id: z.string() }),
  /** Files that a turn changed were restored to their state before it, or again to the state that it left. */
  z.strictObject({
    type: z.literal('files-undone'),
    turn: z.string(),
    to: z.enum(['undone', 'done']),
    files: z.array(z.strictObject({ path: cleanString, blob: blobId.exactOptional() })).min(1),
  }),
] as const;

/** Ops that the log needs for its own bookkeeping. */
const bookkeepingOps = [
  /** A client may send updates of texts under its own id, for the agent of the change. */
  z.strictObject({ type: z.literal('client-added'), client: z.int() }),
  /** Numbers up to these are never given out again: to nodes, to the blocks of some agents, and to those of all others. */
  z.strictObject({
    type: z.literal('counters-raised'),
    node: z.int().nonnegative(),
    blocks: z.record(z.string(), z.int().nonnegative()),
    others: z.int().nonnegative(),
  }),
  /** A tree change was taken back by the ops beside this one. */
  z.strictObject({ type: z.literal('undone'), change: z.int() }),
] as const;

/** One step of a change to a root. The ops of a change are applied together or not at all. */
export const rootOp = z.discriminatedUnion('type', [
  ...structureOps,
  ...textOps,
  ...markOps,
  ...turnOps,
  ...bookkeepingOps,
]);
export type RootOp = z.infer<typeof rootOp>;

/** An op that changes the visible tree: it can be undone, and node files follow it. */
export type TreeOp = z.infer<(typeof structureOps | typeof textOps | typeof markOps)[number]>;

export function isTreeOp(op: RootOp): op is TreeOp {
  return treeTypes.has(op.type);
}

const treeTypes: ReadonlySet<string> = new Set(
  [...structureOps, ...textOps, ...markOps].map(({ shape }) => shape.type.value),
);

/** One step of a change to the list of roots. */
export const forestOp = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('root-listed'),
    root: z.string(),
    /** The key by which `getOrCreateRoot` finds it. */
    key: z.string().exactOptional(),
  }),
  /** A person knows that changes of a log up to `seq` had been acknowledged and are gone. Without its epoch it is any log of this name. */
  z.strictObject({
    type: z.literal('loss-acknowledged'),
    log: z.string(),
    seq: z.int().nonnegative(),
    epoch: z.string().exactOptional(),
  }),
]);
export type ForestOp = z.infer<typeof forestOp>;

/** One step of a change to a home, which keeps data beside conversations: personal data, or that shared by a project. */
export const homeOp = z.discriminatedUnion('type', [
  /** Without a value the key is gone. */
  z.strictObject({ type: z.literal('home-set'), key: cleanString, value: cleanObject.exactOptional() }),
]);
export type HomeOp = z.infer<typeof homeOp>;
