import type { PlainObject } from '@loom/blocks';
import { Conversation } from './conversation.ts';
import { isList, objectIn, textIn } from '../foreign/fields.ts';
import type { MessageTree } from './message-tree.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { Passage } from './passage.ts';

/** Facts about a sub-agent from outside its lines: from the name of its file, and the `.meta.json` beside it. */
export interface AgentFacts {
  readonly id: string;
  /** The call that started it. */
  readonly call?: string;
  readonly title?: string;
  readonly kind?: string;
}

/** Returns the id of a sub-agent's conversation. Ids of older versions are short: they are unique within their session only. */
export function agentName(agent: string, session: string | undefined): string {
  return agent.length >= 16 || session === undefined ? `agent:${agent}` : `agent:${session}/${agent}`;
}

/** Finds the sub-agent of each line, and the call that started it. */
export class Agents {
  readonly #outbox: Outbox;
  readonly #tree: MessageTree;
  readonly #facts: AgentFacts | undefined;
  readonly #conversations = new Map<string, Conversation>();
  /** Calls that are known to have started a sub-agent. */
  readonly #linked = new Set<string>();

  constructor(outbox: Outbox, tree: MessageTree, facts: AgentFacts | undefined) {
    this.#outbox = outbox;
    this.#tree = tree;
    this.#facts = facts;
  }

  /** The sub-agent whose file this is, once a line of it was seen. */
  get own(): Conversation | undefined {
    return this.#facts === undefined ? undefined : [...this.#conversations.values()][0];
  }

  /** The conversation of the sub-agent that a line names, if it does. */
  conversationOf(line: PlainObject): Conversation | undefined {
    if (line.isSidechain !== true) return undefined;
    const agent = textIn(line.agentId) ?? this.#facts?.id;
    if (agent === undefined) return undefined;
    const session = textIn(line.sessionId);
    const conversation = this.#named(agent, session);
    if (this.#facts?.id === agent && !conversation.hasParent) this.#applyFacts(conversation, this.#facts, session);
    return conversation;
  }

  /** Older versions write the lines of a sub-agent between those of the main conversation, without a name. */
  beginInline(line: PlainObject, uuid: string): Passage {
    const conversation = new Conversation(this.#outbox);
    const call = this.#callFor(wordsOf(line.message));
    if (call !== undefined) {
      this.#linked.add(call.id);
      conversation.setParent(call.conversation, call.id);
      if (call.title !== undefined) conversation.setTitle(call.title, 'generated');
    }
    return new Passage(conversation, uuid);
  }

  /** Notes a result that names the sub-agent that it comes from. */
  noteResult(line: PlainObject, at: Passage): void {
    const agent = textIn(objectIn(line.toolUseResult)?.agentId);
    if (agent === undefined) return;
    const content = objectIn(line.message)?.content;
    const parts = isList(content) ? content : [];
    const call = parts.map((part) => textIn(objectIn(part)?.tool_use_id)).find((id) => id !== undefined);
    if (call !== undefined) this.#link(agent, call, line, at);
  }

  /** Notes news of a working sub-agent, which names its call. */
  noteProgress(line: PlainObject, at: Passage): void {
    const data = objectIn(line.data);
    const [agent, call] = [textIn(data?.agentId), textIn(line.parentToolUseID)];
    if (data?.type === 'agent_progress' && agent !== undefined && call !== undefined) this.#link(agent, call, line, at);
  }

  #link(agent: string, call: string, line: PlainObject, at: Passage): void {
    if (this.#linked.has(call) || at.conversation.id === '') return;
    this.#linked.add(call);
    const conversation = this.#named(agent, textIn(line.sessionId));
    conversation.setParent(at.conversation.id, call);
    conversation.tell();
  }

  #named(agent: string, session: string | undefined): Conversation {
    const name = agentName(agent, session);
    const known = this.#conversations.get(name);
    if (known !== undefined) return known;
    const conversation = new Conversation(this.#outbox, name);
    this.#conversations.set(name, conversation);
    return conversation;
  }

  #applyFacts(conversation: Conversation, facts: AgentFacts, session: string | undefined): void {
    if (facts.title !== undefined) conversation.setTitle(facts.title, 'generated');
    conversation.note({
      details: { agent: facts.id, ...(facts.kind === undefined ? {} : { agent_type: facts.kind }) },
    });
    // The main conversation has its session as its id when it is read too.
    if (facts.call !== undefined && session !== undefined) conversation.setParent(session, facts.call);
  }

  /** Returns the call whose prompt has this text, else the first that started a sub-agent not heard of yet. */
  #callFor(words: string): { id: string; conversation: string; title: string | undefined } | undefined {
    let first: { id: string; conversation: string; title: string | undefined } | undefined;
    for (const { id, name, parameters, passage } of this.#tree.openCalls()) {
      if ((name !== 'Task' && name !== 'Agent') || this.#linked.has(id)) continue;
      const found = { id, conversation: passage.conversation.id, title: textIn(parameters.description) };
      if (textIn(parameters.prompt)?.trim() === words.trim()) return found;
      first ??= found;
    }
    return first;
  }
}

function wordsOf(message: unknown): string {
  const content = objectIn(message)?.content;
  if (typeof content === 'string') return content;
  return (isList(content) ? content : []).map((part) => textIn(objectIn(part)?.text) ?? '').join('\n');
}
