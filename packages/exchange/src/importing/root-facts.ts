import { isPlainObject, stableDeepEqual } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { RootConfig, RootState } from '@loom/kernel';
import { exportsIn } from '@loom/kernel/logs';
import type { Decision, RootOp } from '@loom/kernel/logs';
import type { ForeignConversation } from '../foreign/foreign.ts';

/** The key of a root's config for facts about its origin. */
const importedKey = 'imported';

/** Returns the first config of a conversation of another program. */
export function importedConfig(source: string, conversation: ForeignConversation): RootConfig {
  const { id, systemPrompt, directory } = conversation;
  // Loom's facts there about the conversation's other places belong to the forest that it was exported from.
  const {
    origin: _origin,
    sender: _sender,
    [importedKey]: _imported,
    exported: _exported,
    ...config
  } = conversation.config ?? {};
  return {
    ...config,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(directory === undefined ? {} : { directory }),
    origin: { source, id },
    [importedKey]: factsOf(conversation),
  };
}

/**
 * Adds new facts about a conversation: more names, details, another title. A title that a user has given, and settings that a user has changed, stay.
 */
export function decideRootFacts(
  state: RootState,
  conversation: ForeignConversation,
): Decision<RootOp, { root: string }> {
  const before = factsIn(state.config);
  const merged = mergeFacts(before, factsOf(conversation));
  const { directory, systemPrompt } = conversation;
  const config: RootConfig = {
    ...state.config,
    ...(directory !== undefined && state.config['directory'] === undefined ? { directory } : {}),
    ...(systemPrompt !== undefined && state.config.systemPrompt === undefined ? { systemPrompt } : {}),
    [importedKey]: merged,
  };
  const title = titleAfter(state, before, conversation);
  if (stableDeepEqual(config, state.config) && title === undefined)
    return { ok: true, ops: [], value: { root: state.id } };
  const op: RootOp = { type: 'root-changed', config, ...(title === undefined ? {} : { title }) };
  const time = state.updated;
  return { ok: true, ops: [op], value: { root: state.id }, time };
}

/** A file in its state at its last import. */
export interface TakenFile {
  bytes: number;
  /** The time of its last write, in milliseconds since 1970. */
  modified: number;
}

/**
 * Notes that a file was imported in its present state, so that it need not be read again, and the facts that only this file has: its calls that
 * started sub-agents whose conversations have not been read yet, by their names.
 */
export function decideFileTaken(
  state: RootState,
  path: string,
  file: TakenFile,
  awaited: ReadonlyMap<string, string>,
): Decision<RootOp, { root: string }> {
  const before = factsIn(state.config);
  const files = { ...objectIn(before, 'files'), [path]: { ...file } };
  const sought = isUnplaced(state.config) ? { [soughtKey]: true } : {};
  const all = { ...objectIn(before, awaitedKey), ...Object.fromEntries(awaited) };
  const calls = awaited.size === 0 ? {} : { [awaitedKey]: all };
  const config: RootConfig = { ...state.config, [importedKey]: { ...before, files, ...sought, ...calls } };
  const ops: RootOp[] = stableDeepEqual(config, state.config) ? [] : [{ type: 'root-changed', config }];
  return { ok: true, ops, value: { root: state.id }, time: state.updated };
}

/**
 * Returns true if a root holds the conversation of a sub-agent whose starting call is unknown and was not searched for: earlier versions of Loom did
 * not note it. Lists show such a conversation as if a user had started it.
 */
export function isUnplaced(config: RootConfig): boolean {
  const facts = factsIn(config);
  return typeof objectIn(facts, 'details')['agent'] === 'string' && !hasSender(config) && facts[soughtKey] !== true;
}

function hasSender({ sender }: RootConfig): boolean {
  return typeof sender === 'string' && sender !== '';
}

/** The key that marks that the call of a sub-agent was searched for. */
const soughtKey = 'call_sought';

/** The key for the calls that started sub-agents whose conversations were not read yet. */
const awaitedKey = 'awaited';

/** Returns the sub-agents of a root that were not read yet, with the calls that started them. */
export function awaitedIn(config: RootConfig): Map<string, string> {
  const calls = Object.entries(objectIn(factsIn(config), awaitedKey));
  return new Map(calls.flatMap(([name, call]) => (typeof call === 'string' ? [[name, call]] : [])));
}

/** Returns the config of a root after a sub-agent of it was read. */
export function withoutAwaited(config: RootConfig, name: string): RootConfig {
  const { [awaitedKey]: _awaited, ...facts } = factsIn(config);
  const left = [...awaitedIn(config)].filter(([other]) => other !== name);
  const awaited = left.length === 0 ? {} : { [awaitedKey]: Object.fromEntries(left) };
  return { ...config, [importedKey]: { ...facts, ...awaited } };
}

/** The files that a root was read from. */
export function filesIn(config: RootConfig): Map<string, TakenFile> {
  const files = new Map<string, TakenFile>();
  for (const [path, file] of Object.entries(objectIn(factsIn(config), 'files'))) {
    if (!isPlainObject(file)) continue;
    const { bytes, modified } = file;
    if (typeof bytes === 'number' && typeof modified === 'number') files.set(path, { bytes, modified });
  }
  return files;
}

/** All names of a root in a source. */
function namesIn(config: RootConfig, source: string): string[] {
  const origin = config['origin'];
  if (!isPlainObject(origin) || origin['source'] !== source || typeof origin['id'] !== 'string') return [];
  return [origin['id'], ...aliasesIn(factsIn(config))];
}

/** Returns every source and name by which a root can be found again. */
export function originsIn(config: RootConfig): { source: string; id: string }[] {
  const origin = config['origin'];
  const source = isPlainObject(origin) ? origin['source'] : undefined;
  const own = typeof source === 'string' ? namesIn(config, source).map((id) => ({ source, id })) : [];
  return [...own, ...exportsIn(config)];
}

function titleAfter(state: RootState, before: PlainObject, { title }: ForeignConversation): string | undefined {
  if (title === undefined || title === before['title'] || title === state.title) return undefined;
  return state.title === undefined || state.title === before['title'] ? title : undefined;
}

function factsOf({ aliases, title, details, created_at }: ForeignConversation): PlainObject {
  return {
    ...(aliases === undefined || aliases.length === 0 ? {} : { aliases: [...aliases] }),
    ...(title === undefined ? {} : { title }),
    ...(created_at === undefined ? {} : { created_at }),
    ...(details === undefined ? {} : { details }),
  };
}

function factsIn(config: RootConfig): PlainObject {
  const facts = config[importedKey];
  return isPlainObject(facts) ? facts : {};
}

function mergeFacts(before: PlainObject, now: PlainObject): PlainObject {
  const aliases = [...new Set([...aliasesIn(before), ...aliasesIn(now)])];
  const details = { ...objectIn(before, 'details'), ...objectIn(now, 'details') };
  return {
    ...before,
    ...now,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

function aliasesIn(facts: PlainObject): string[] {
  const aliases = facts['aliases'];
  return Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [];
}

function objectIn(facts: PlainObject, key: string): PlainObject {
  const value = facts[key];
  return isPlainObject(value) ? value : {};
}
