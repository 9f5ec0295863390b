import { isBlank, isPlainObject } from '@loom/blocks';
import type { ImageBlock, ModelBlock, PlainObject } from '@loom/blocks';
import { apiName } from './call-names.ts';
import type { CallNames } from './call-names.ts';
import { describeFile, fileData } from './file-data.ts';
import type { ExportNotes } from './note.ts';
import type { ExportSource } from './source.ts';
import type { SpokenMessage } from './spoken-path.ts';

/** The inputs for writing blocks of the Messages API. */
export interface AnthropicScope {
  readonly source: ExportSource;
  readonly calls: CallNames;
  readonly notes: ExportNotes;
}

/** Returns true if a block has a form in the Messages API, which refuses blank texts and thoughts without a signature. */
export function isAnthropicBlock(block: ModelBlock, { notes }: Pick<AnthropicScope, 'notes'>): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  if (block.type !== 'thinking' || isSigned(block)) return true;
  notes.add(
    'thinking-unsigned',
    'A thought has no signature of Anthropic: it is left out, because Claude does not take it.',
  );
  return false;
}

/** A block of a user's or a model's message in the form of the Messages API. */
export async function anthropicBlock(block: ModelBlock, scope: AnthropicScope): Promise<PlainObject> {
  switch (block.type) {
    case 'text': {
      const citations = sentCitations(ownData(block)['citations']);
      return { type: 'text', text: block.text, ...(citations.length === 0 ? {} : { citations }) };
    }
    case 'thinking': {
      const { signature, redactedData: data } = ownData(block);
      return typeof data === 'string'
        ? { type: 'redacted_thinking', data }
        : { type: 'thinking', thinking: block.text, signature };
    }
    case 'tool-use':
      return { type: 'tool_use', id: scope.calls.call(block.id), name: apiName(block.name), input: block.parameters };
    case 'image':
      return anthropicFile(block, scope);
  }
}

/** The result of a call as a block of a user's message. */
export async function anthropicResult(message: SpokenMessage, scope: AnthropicScope): Promise<PlainObject> {
  const isError = message.node.is_error === true;
  const parts: PlainObject[] = [];
  for (const { block } of message.blocks) {
    // Blank texts are refused in a list.
    if (block.type === 'text') {
      if (!isBlank(block.text) || message.blocks.length === 1) parts.push({ type: 'text', text: block.text });
    }
    // A result that is an error may hold nothing but texts.
    else if (block.type === 'image') parts.push(isError ? fileAsText(block) : await anthropicFile(block, scope));
  }
  const [only, second] = parts;
  const content = only !== undefined && second === undefined && only['type'] === 'text' ? only['text'] : parts;
  return {
    tool_use_id: scope.calls.answer(message),
    type: 'tool_result',
    content: parts.length === 0 ? '' : content,
    ...(isError ? { is_error: true } : {}),
  };
}

/** Returns citations in the form that a request may hold: those of an answer have more fields, and requests refuse some kinds. */
function sentCitations(citations: unknown): PlainObject[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap((citation: unknown) => {
    const fields = isPlainObject(citation) ? citationFields.get(citation['type']) : undefined;
    if (!isPlainObject(citation) || fields?.every((field) => citation[field] !== undefined) !== true) return [];
    return [Object.fromEntries(['type', ...fields].map((field) => [field, citation[field]]))];
  });
}

const ofDocument = ['cited_text', 'document_index', 'document_title'];
const citationFields = new Map<unknown, readonly string[]>([
  ['char_location', [...ofDocument, 'start_char_index', 'end_char_index']],
  ['page_location', [...ofDocument, 'start_page_number', 'end_page_number']],
  ['content_block_location', [...ofDocument, 'start_block_index', 'end_block_index']],
  ['web_search_result_location', ['cited_text', 'encrypted_index', 'title', 'url']],
]);

/** Describes an image that a model made: only users may send some. */
export function fileAsText(block: ImageBlock): PlainObject {
  return { type: 'text', text: `(${describeFile(block)})` };
}

async function anthropicFile(block: ImageBlock, { source, notes }: AnthropicScope): Promise<PlainObject> {
  const data = await fileData(block, source);
  if (data === undefined) {
    notes.add(
      'file-unavailable',
      `${describeFile(block)} is not in this folder any more: its name is written instead.`,
    );
    return fileAsText(block);
  }
  const { media_type, filename } = block;
  const from = 'url' in data ? { type: 'url', url: data.url } : { type: 'base64', media_type, data: data.base64 };
  if (pictures.has(media_type)) return { type: 'image', source: from };
  if (media_type === 'application/pdf') {
    return { type: 'document', source: from, ...(filename === undefined ? {} : { title: filename }) };
  }
  notes.add(
    'file-unsupported',
    `${describeFile(block)} is of a kind that Claude does not take: its name is written instead.`,
  );
  return fileAsText(block);
}

const pictures = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function isSigned(block: { provider?: PlainObject }): boolean {
  const { signature, redactedData } = ownData(block);
  return (typeof signature === 'string' && signature !== '') || typeof redactedData === 'string';
}

function ownData({ provider }: { provider?: PlainObject }): PlainObject {
  const own = provider?.['anthropic'];
  return isPlainObject(own) ? own : {};
}
