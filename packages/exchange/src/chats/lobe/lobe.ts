import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { listIn, textIn } from '../../foreign/fields.ts';
import type { ForeignConversation, ForeignItem, Tally } from '../../foreign/foreign.ts';
import { chatItems } from '../chat-tree.ts';
import type { ChatMessage } from '../chat-tree.ts';
import { objectOf, timeOf } from '../fields.ts';
import { readLobeMessage } from './lobe-message.ts';
import { placesOf } from './lobe-places.ts';

/** Recognizes the three exports of LobeChat: the tables of its database, the sessions of versions without one, and a single topic. */
export function recognizesLobe(record: unknown): record is PlainObject {
  if (!isPlainObject(record)) return false;
  if (isPlainObject(record['data'])) return textIn(record['schemaHash']) !== undefined && 'mode' in record;
  if (isPlainObject(record['state'])) return textIn(record['exportType']) !== undefined;
  const [first] = listIn(record['messages']);
  const isTopic = textIn(record['exportedAt']) !== undefined && textIn(record['version']) !== undefined;
  return isTopic && textIn(objectOf(first)['id']) !== undefined;
}

/** Reads an export of LobeChat: each topic is a conversation, and so are the messages of a session without a topic. Each message is tallied. */
export function readLobe(record: PlainObject, tally: Tally): ForeignItem[] {
  const tables = new Tables(record);
  const messages = tables.rows('messages').filter((row) => {
    const isMessage = textIn(row['id']) !== undefined;
    if (!isMessage) tally.reported('A message has no id.');
    return isMessage;
  });
  for (let rest = tables.broken; rest > 0; rest -= 1) tally.reported('A row of a table is not an object.');
  if (messages.length === 0) {
    tally.reported('The export of LobeChat has no messages, only settings or assistants: there is nothing to import.');
    return [];
  }
  tally.used();
  const groups = new Map<string, PlainObject[]>();
  for (const message of messages.toSorted(byTime)) {
    const full = { ...pluginFields(tables.find('messagePlugins', message['id'])), ...message };
    const session = `session/${textIn(message['sessionId'] ?? message['agentId']) ?? ''}`;
    const name = textIn(message['topicId']) ?? session;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [full]);
    else group.push(full);
  }
  return [...groups.values()].flatMap((group) => readGroup(group, tables, tally));
}

/** The rows of an export by the tables of LobeChat's database. */
class Tables {
  readonly title: string | undefined;
  /** Rows that are not objects. */
  broken = 0;
  readonly #holder: PlainObject;
  readonly #tables = new Map<string, ReadonlyMap<unknown, PlainObject>>();

  constructor(record: PlainObject) {
    const isTopic = Array.isArray(record['messages']);
    this.#holder = isTopic ? { messages: record['messages'] } : objectOf(record['data'] ?? record['state']);
    this.title = isTopic ? textIn(record['title']) : undefined;
  }

  rows(name: string): PlainObject[] {
    const all = listIn(this.#holder[name]);
    const rows = all.filter(isPlainObject);
    this.broken += all.length - rows.length;
    return rows;
  }

  /** The row with an id, or an empty one. */
  find(name: string, id: unknown, key = 'id'): PlainObject {
    const found = this.#tables.get(name) ?? new Map(this.rows(name).map((row) => [row[key], row]));
    this.#tables.set(name, found);
    return id === undefined || id === null ? {} : (found.get(id) ?? {});
  }
}

function readGroup(rows: readonly PlainObject[], tables: Tables, tally: Tally): ForeignItem[] {
  const byId = new Map<unknown, PlainObject>();
  let prompt: string | undefined;
  for (const row of rows) {
    if (byId.has(row['id'])) tally.reported('A message is there twice.');
    else if (row['role'] === 'system' && prompt === undefined) {
      prompt = textIn(row['content']) ?? '';
      tally.used();
    } else byId.set(row['id'], row);
  }
  const spoken = [...byId.values()];
  const places = placesOf(spoken, (thread) => textIn(tables.find('threads', thread)['sourceMessageId']));
  const messages = spoken.map((row): ChatMessage => {
    const id = textIn(row['id']) ?? '';
    return { id, parent: places.get(id), pieces: readLobeMessage(id, row, byId.get(row['parentId']), tally) };
  });
  return chatItems(conversationOf(spoken[0] ?? {}, tables, prompt), messages, tally);
}

function conversationOf(first: PlainObject, tables: Tables, prompt: string | undefined): ForeignConversation {
  const topicId = textIn(first['topicId']);
  const topic = tables.find('topics', topicId);
  const sessionId = textIn(first['sessionId']) ?? textIn(topic['sessionId']);
  const session = tables.find('sessions', sessionId);
  const linked = tables.find('agentsToSessions', sessionId, 'sessionId')['agentId'];
  const agentId = textIn(first['agentId']) ?? textIn(topic['agentId']) ?? textIn(linked);
  const agent = tables.find('agents', agentId);
  const own = textIn(objectOf(session['meta'])['title']) ?? textIn(session['title']) ?? textIn(agent['title']);
  const title = tables.title ?? textIn(topic['title']) ?? own;
  const systemPrompt =
    textIn(prompt) ?? textIn(objectOf(session['config'])['systemRole']) ?? textIn(agent['systemRole']);
  const created = timeOf(topic['createdAt'] ?? first['createdAt']);
  const summary = textIn(topic['historySummary']);
  // The export of a single topic does not name it, but its first message has the same id in every export.
  const byMessage = `message/${textIn(first['id']) ?? ''}`;
  const place = sessionId ?? agentId;
  return {
    ...(topicId !== undefined
      ? { id: topicId, aliases: [byMessage] }
      : { id: place === undefined ? byMessage : `session/${place}` }),
    ...(title === undefined ? {} : { title }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(created === undefined ? {} : { created_at: created }),
    ...(summary === undefined ? {} : { details: { summary } }),
  };
}

/** Returns the plugin fields that newer versions keep in a separate table, in the shape that messages have elsewhere. */
function pluginFields(row: PlainObject): PlainObject {
  if (row['id'] === undefined) return {};
  const { apiName, arguments: given, identifier, type, toolCallId, error, intervention, state } = row;
  return {
    plugin: { apiName, arguments: given, identifier, type },
    tool_call_id: toolCallId,
    pluginError: error,
    pluginIntervention: intervention,
    pluginState: state,
  };
}

/** Compares rows by time, since tables come in no order. */
function byTime(a: PlainObject, b: PlainObject): number {
  const [first, second] = [timeOf(a['createdAt']) ?? '', timeOf(b['createdAt']) ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}
