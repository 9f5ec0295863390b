import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { cleanString, isPlainObject, messageBlock, plainObject } from '@loom/blocks';
import type { LongOutput, MessageBlock, PlainObject } from '@loom/blocks';
import { sourceInfo } from '@loom/kernel/logs';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignBlock, ForeignItem, ForeignNode, LineReader } from '../foreign/foreign.ts';
import { readJsonLine } from '../foreign/json-line.ts';
import { nestsTooDeep } from '../foreign/depth.ts';

const header = z.looseObject({ type: z.literal('loom-export'), version: z.int() });

const conversationLine = z.looseObject({
  id: z.string().min(1),
  title: cleanString.exactOptional(),
  tags: z.array(cleanString).exactOptional(),
  created_at: z.string().exactOptional(),
  config: plainObject,
});

const blobLine = z.looseObject({ id: z.string(), piece: z.int(), pieces: z.int(), data: z.string() });

const nodeLine = z.looseObject({
  id: z.string().min(1),
  parent: z.string().exactOptional(),
  role: z.enum(['user', 'assistant', 'tool']),
  time: z.string().exactOptional(),
  source: sourceInfo,
  tool_call_id: z.string().exactOptional(),
  is_error: z.boolean().exactOptional(),
  tool: z.enum(['waiting', 'running', 'result', 'error', 'denied', 'interrupted']).exactOptional(),
  started_at: z.string().exactOptional(),
  ended_at: z.string().exactOptional(),
  title: cleanString.exactOptional(),
  tags: z.array(cleanString).exactOptional(),
  context_start: z.boolean().exactOptional(),
  continues: z.boolean().exactOptional(),
  exclude: z.array(z.string()).exactOptional(),
  custom_data: plainObject.exactOptional(),
  bookmark: cleanString.exactOptional(),
  blocks: z.array(z.unknown()),
});

const endLine = z.looseObject({ nodes: z.int() });

/** The newest version of the format that is read. */
const newestVersion = 1;

/** Returns true if a file with this beginning is an export of Loom. */
export function recognizesLoomLines(beginning: string): boolean {
  return /^\uFEFF?\s*\{\s*"type"\s*:\s*"loom-export"/.test(beginning);
}

/** Reads the lines that Loom's own export consists of. */
export class LoomLinesReader implements LineReader {
  readonly tally = new Tally();
  #items: ForeignItem[] = [];
  #version: number | undefined;
  #conversation: string | undefined;
  readonly #nodes = new Set<string>();
  /** The pieces of the blobs of the next message. */
  readonly #blobs = new Map<string, string[]>();
  #isEnded = false;

  push(text: string): void {
    if (text.trim() === '') return;
    const line = nestsTooDeep(text) ? undefined : readJsonLine(text);
    const [value, second] = line?.kind === 'objects' ? line.objects : [];
    if (value === undefined || second !== undefined) {
      return this.tally.reported('A line is not one JSON object, or is nested too deep.');
    }
    if (this.#version === undefined) return this.#readHeader(value);
    if (this.#version > newestVersion) return this.tally.reported('The export was written by a newer version of Loom.');
    switch (value['type']) {
      case 'conversation':
        return this.#readConversation(value);
      case 'blob':
        return this.#readBlob(value);
      case 'node':
        return this.#readNode(value);
      case 'end':
        return this.#readEnd(value);
      default:
        return this.tally.raw(String(value['type']));
    }
  }

  take(): ForeignItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  end(): void {
    if (this.#version !== undefined && this.#version <= newestVersion && !this.#isEnded) {
      this.tally.remark('The export ends early: its last line is missing. What is there was taken in.');
    }
  }

  #readHeader(value: PlainObject): void {
    const { data } = header.safeParse(value);
    if (data === undefined) return this.tally.reported('The first line is not that of an export of Loom.');
    this.#version = data.version;
    if (data.version > newestVersion) this.tally.reported('The export was written by a newer version of Loom.');
    else this.tally.used();
  }

  #readConversation(value: PlainObject): void {
    const { data } = conversationLine.safeParse(value);
    if (data === undefined) return this.tally.reported('A conversation lacks its id or its config.');
    const { id, title, tags, created_at, config } = data;
    const { systemPrompt, directory } = config;
    this.#conversation = id;
    this.#isEnded = false;
    this.#nodes.clear();
    this.#blobs.clear();
    this.#items.push({
      type: 'conversation',
      conversation: {
        id,
        config,
        ...(title === undefined ? {} : { title }),
        ...(tags === undefined ? {} : { tags }),
        ...(created_at === undefined ? {} : { created_at }),
        ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
        ...(typeof directory === 'string' ? { directory } : {}),
      },
    });
    this.tally.used();
  }

  #readBlob(value: PlainObject): void {
    const { data } = blobLine.safeParse(value);
    const pieces = data === undefined ? undefined : (this.#blobs.get(data.id) ?? []);
    if (data === undefined || pieces?.length !== data.piece) {
      return this.tally.reported('A piece of a blob is not readable, or not in its order.');
    }
    this.#blobs.set(data.id, [...pieces, data.data]);
    this.tally.used();
  }

  #readNode(value: PlainObject): void {
    const { data, error } = nodeLine.safeParse(value);
    if (data === undefined) {
      return this.tally.reported(`A message is not readable: ${error.issues[0]?.path.join('.') ?? ''}.`);
    }
    const { id, parent, role, source, tool } = data;
    const conversation = this.#conversation;
    if (conversation === undefined) return this.tally.reported('A message comes before its conversation.');
    if (parent !== undefined && !this.#nodes.has(parent)) {
      return this.tally.reported('A message is below one that is not there.');
    }
    this.#nodes.add(id);
    let hasUnknown = false;
    const blocks = data.blocks.map((given, index): ForeignBlock => {
      const key = isPlainObject(given) && typeof given['block_id'] === 'string' ? given['block_id'] : `${id}#${index}`;
      const block = messageBlock.safeParse(given).data;
      hasUnknown ||= block === undefined;
      return {
        key,
        block: block === undefined ? { type: 'raw', source: 'loom', value: given } : this.#withBlobs(block),
      };
    });
    this.#blobs.clear();
    const node: ForeignNode = {
      conversation,
      id,
      ...(parent === undefined ? {} : { parent }),
      role,
      source,
      ...fieldsOf(data),
      // A call that had not ended when it was exported never ends.
      ...(tool === undefined ? {} : { tool: tool === 'waiting' || tool === 'running' ? 'interrupted' : tool }),
      blocks,
    };
    this.#items.push({ type: 'node', node });
    if (hasUnknown) this.tally.raw('block');
    else this.tally.used();
  }

  #readEnd(value: PlainObject): void {
    this.#isEnded = true;
    const { data } = endLine.safeParse(value);
    this.tally.used();
    if (data?.nodes !== this.#nodes.size) {
      this.tally.remark(
        `The export had ${data?.nodes ?? 'an unknown number of'} messages, ${this.#nodes.size} could be read.`,
      );
    }
  }

  /** Returns the block in the form that readers emit: without its ids, with the bytes that it needs. */
  #withBlobs(given: MessageBlock): MessageBlock {
    const block = this.#withPayloads(given);
    delete block.block_id;
    delete block.version;
    delete block.from;
    if (block.type === 'image' && block.blob !== undefined) {
      const data = this.#base64(block.blob);
      if (data === undefined) return block;
      const { blob: _blob, ...image } = block;
      return { ...image, url: `data:${block.media_type};base64,${data}` };
    }
    if (block.type === 'raw') return { ...block, value: this.#payload(block.value) };
    if (block.type !== 'command') return block;
    return {
      ...block,
      ...(block.stdout === undefined ? {} : { stdout: this.#output(block.stdout) }),
      ...(block.stderr === undefined ? {} : { stderr: this.#output(block.stderr) }),
    };
  }

  /** Returns a copy with the tools' reports, and the full text of a long block if it is unchanged. */
  #withPayloads(given: MessageBlock): MessageBlock {
    const block = { ...given };
    const { provider, metadata, version } = block;
    if (provider !== undefined)
      block.provider = Object.fromEntries(
        Object.entries(provider).map(([name, payload]) => [name, this.#payload(payload)]),
      );
    const { whole, ...others } = metadata ?? {};
    if (whole === undefined) return block;
    if (Object.keys(others).length === 0) delete block.metadata;
    else block.metadata = others;
    const words = isPlainObject(whole) && typeof whole['blob'] === 'string' ? this.#words(whole['blob']) : undefined;
    if (version !== 1 || words === undefined) return block;
    if (block.type === 'text') return { ...block, text: words };
    return block.type === 'code' ? { ...block, content: words } : block;
  }

  /** Returns a payload that was long enough to become a blob. If the export lacks the blob, only its beginning is left. */
  #payload(payload: unknown): unknown {
    if (!isPlainObject(payload) || typeof payload['blob'] !== 'string' || typeof payload['bytes'] !== 'number')
      return payload;
    const { blob, ...beginning } = payload;
    try {
      const words = this.#words(blob);
      return words === undefined ? beginning : JSON.parse(words);
    } catch {
      return beginning;
    }
  }

  #words(blob: string): string | undefined {
    const data = this.#base64(blob);
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
  }

  #output(output: string | LongOutput): string | LongOutput {
    const data = typeof output === 'string' || output.blob === undefined ? undefined : this.#base64(output.blob);
    return data === undefined ? output : Buffer.from(data, 'base64').toString('utf8');
  }

  #base64(id: string): string | undefined {
    const pieces = this.#blobs.get(id);
    if (pieces === undefined) this.tally.remark('The bytes of a file or of a long output are not in the export.');
    return pieces?.join('');
  }
}

/** Returns the fields of a message other than its place, its blocks and its source. */
function fieldsOf(line: z.infer<typeof nodeLine>): Partial<ForeignNode> {
  const { tool_call_id, is_error, time, started_at, ended_at, title, tags, context_start, continues, bookmark } = line;
  const { exclude, custom_data } = line;
  return {
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(is_error === undefined ? {} : { is_error }),
    ...(time === undefined ? {} : { time }),
    ...(started_at === undefined ? {} : { started_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(context_start === undefined ? {} : { context_start }),
    ...(continues === undefined ? {} : { continues }),
    ...(bookmark === undefined ? {} : { bookmark }),
    ...(exclude === undefined ? {} : { excluded: exclude }),
    ...(custom_data === undefined ? {} : { details: custom_data }),
  };
}
