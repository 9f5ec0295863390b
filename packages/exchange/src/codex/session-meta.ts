import type { PlainObject } from '@loom/blocks';
import type { ForeignConversation } from '../foreign/foreign.ts';
import { knownFields, numberAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';

/** A thread in another file that this one continues, up to an ordinal. */
export interface RolloutBase {
  readonly thread: string;
  /** The first ordinal of the other thread that no longer belongs to this one. */
  readonly end: number;
}

/** The thread of a `session_meta`, or of the first line of August 2025. */
export function threadOf(meta: PlainObject): string | undefined {
  const id = textAt(meta, 'id', 'session_id');
  return id === undefined || id === '' ? undefined : id;
}

/** The thread whose name is part of the name of a file: `rollout-<time>-<thread>[_<rollout>].jsonl[.zst]`. */
export function threadOfName(name: string): string | undefined {
  return /rollout-.*?([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})/i.exec(name)?.[1];
}

/** Returns the start of a fork's history: a place in the file of another thread. */
export function baseOf(meta: PlainObject): RolloutBase | undefined {
  const base = objectAt(meta, 'history_base');
  const thread = textAt(base, 'thread_id');
  const end = numberAt(base, 'end_ordinal_exclusive');
  return thread === undefined || end === undefined || thread === threadOf(meta) ? undefined : { thread, end };
}

/** Returns the facts of a `session_meta` about its conversation. */
export function describeThread(meta: PlainObject): Omit<ForeignConversation, 'id'> {
  const base = objectAt(meta, 'base_instructions');
  const systemPrompt = textAt(base, 'text') ?? textAt(meta, 'base_instructions', 'instructions');
  const directory = textAt(meta, 'cwd');
  const created = timeOf(meta.timestamp);
  const spawn = objectAt(objectAt(objectAt(meta, 'source'), 'subagent'), 'thread_spawn');
  const git = objectAt(meta, 'git');
  const details = knownFields({
    version: textAt(meta, 'cli_version'),
    originator: textAt(meta, 'originator'),
    model_provider: textAt(meta, 'model_provider'),
    branch: textAt(git, 'branch'),
    commit: textAt(git, 'commit_hash'),
    repository: textAt(git, 'repository_url'),
    forked_from: textAt(meta, 'forked_from_id'),
    parent_thread: textAt(meta, 'parent_thread_id') ?? textAt(spawn, 'parent_thread_id'),
    agent: textAt(meta, 'agent_nickname') ?? textAt(spawn, 'agent_nickname'),
    agent_role: textAt(meta, 'agent_role') ?? textAt(spawn, 'agent_role'),
  });
  return {
    ...(systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt }),
    ...(directory === undefined || directory === '' ? {} : { directory }),
    ...(created === undefined ? {} : { created_at: created }),
    ...(details === undefined ? {} : { details }),
  };
}
