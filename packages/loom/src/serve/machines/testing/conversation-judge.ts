import type { LogContents } from '@loom/kernel/store';
import { rootCodec } from '@loom/kernel/logs';

/** The order of a log, the words of its messages and its turns, held against what clients were told. */
export interface Evidence {
  root: string;
  contents: LogContents | undefined;
  /** The texts of messages that a server has acknowledged. */
  acknowledged: readonly string[];
  /** The words of the model in every turn, from the first one on. */
  story: string;
}

/** The turns that have started and not ended. */
export function openTurnsOf(contents: LogContents | undefined): string[] {
  const open = new Set<string>();
  for (const { text } of contents?.records ?? []) {
    for (const op of rootCodec.decode(text).flatMap(({ ops }) => ops)) {
      if (op.type === 'turn-started') open.add(op.turn);
      if (op.type === 'turn-ended') open.delete(op.turn);
    }
  }
  return [...open];
}

/** The longest text that a model has said in some conversations. */
export function longestAnswer(all: readonly (LogContents | undefined)[]): string {
  let longest = '';
  for (const contents of all) {
    const said = new Map<string, string>();
    for (const { text: record } of contents?.records ?? []) {
      for (const op of rootCodec.decode(record).flatMap(({ ops }) => ops)) {
        if (op.type !== 'text-appended') continue;
        const text = `${said.get(op.block) ?? ''}${op.text}`;
        said.set(op.block, text);
        if (text.length > longest.length) longest = text;
      }
    }
  }
  return longest;
}

/** Returns what is wrong with a conversation that several processes have written: something lost, doubled, or written by a turn that was over. */
export function judgeConversation({ root, contents, acknowledged, story }: Evidence): string[] {
  const changes = (contents?.records ?? []).flatMap(({ text }) => rootCodec.decode(text));
  const complaints: string[] = [];
  const complain = (what: string): void => void complaints.push(`${root}: ${what}`);
  const requests = new Set<string>();
  const ended = new Map<string, string>();
  const open = new Set<string>();
  const texts: string[] = [];
  const turnOf = new Map<string, string>();
  const said = new Map<string, string>();
  for (const [index, { seq, agent, request, turn, ops }] of changes.entries()) {
    if (seq !== index + 1) complain(`change ${index + 1} is ${seq}`);
    const key = `${agent} ${request}`;
    if (requests.has(key)) complain(`the request ${key} was written twice`);
    requests.add(key);
    if (turn !== undefined && ended.has(turn)) complain(`change ${seq} of ${turn} comes after its end`);
    for (const op of ops) {
      if (op.type === 'node-added' && op.node.role === 'user') {
        for (const block of op.node.blocks) if (block.type === 'text') texts.push(block.text);
      }
      const node = op.type === 'node-added' ? op.node : undefined;
      if (node?.role === 'assistant' && turn !== undefined) {
        for (const block of node.blocks) begin(block.block_id ?? '', turn, block.type === 'text' ? block.text : '');
      }
      if (op.type === 'block-added' && turn !== undefined && op.block.type === 'text')
        begin(op.block.block_id ?? '', turn, op.block.text);
      if (op.type === 'text-appended' && said.has(op.block)) said.set(op.block, `${said.get(op.block)}${op.text}`);
      if (op.type === 'turn-started') open.add(op.turn);
      if (op.type !== 'turn-ended') continue;
      if (ended.has(op.turn)) complain(`${op.turn} ends twice`);
      ended.set(op.turn, op.reason);
      open.delete(op.turn);
    }
  }
  for (const text of acknowledged) {
    const times = texts.filter((one) => one === text).length;
    if (times !== 1) complain(`${text} was acknowledged and is there ${times} times`);
  }
  for (const turn of open) complain(`${turn} never ended`);
  for (const [block, text] of said) {
    const turn = turnOf.get(block) ?? '';
    if (!story.startsWith(text)) complain(`the words of ${turn} have a hole behind ${text.length} characters`);
    if (ended.get(turn) === 'done' && text !== story) complain(`${turn} is done and not whole`);
  }
  return complaints;

  function begin(block: string, turn: string, text: string): void {
    said.set(block, text);
    turnOf.set(block, turn);
  }
}
