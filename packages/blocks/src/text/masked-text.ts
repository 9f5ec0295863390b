import type { ContentBlock, MessageBlock } from '../content-block.ts';
import { editableText } from '../editable-text.ts';

/**
 * Returns the stand-in for text that was taken out for good: as many UTF-16 units, so that every place behind it stays where
 * it was.
 */
export function maskText(text: string): string {
  return '█'.repeat(text.length);
}

/**
 * Returns a block without its text. It keeps its type, its id and the length of its texts, so that later changes of it still
 * apply; the data of providers and all metadata are gone.
 */
export function maskBlock(block: MessageBlock): MessageBlock {
  const { provider: _provider, metadata: _metadata, prefix: _prefix, error, ...rest } = block;
  const failed = error === undefined ? {} : { error: { ...error, message: maskText(error.message) } };
  const kept: MessageBlock = { ...rest, ...failed, purged: true };
  switch (kept.type) {
    case 'text':
    case 'thinking':
      return { ...kept, text: maskText(kept.text) };
    case 'code': {
      const { filename: _filename, ...code } = kept;
      return { ...code, content: maskText(kept.content) };
    }
    case 'tool-use': {
      const { arguments: exact, ...call } = kept;
      const masked = { ...call, parameters: {} };
      return exact === undefined ? masked : { ...masked, arguments: maskText(exact) };
    }
    case 'image': {
      const { blob: _blob, filename: _filename, ...image } = kept;
      return { ...image, url: purgedUrl };
    }
    case 'command': {
      const { stdout, stderr, ...command } = kept;
      return {
        ...command,
        command: maskText(kept.command),
        ...(stdout === undefined ? {} : { stdout: maskOutput(stdout) }),
        ...(stderr === undefined ? {} : { stderr: maskOutput(stderr) }),
      };
    }
    case 'file-change':
      return { ...kept, changes: kept.changes.map(({ kind }) => ({ path: maskText('path'), kind })) };
    case 'todo':
      return { ...kept, items: kept.items.map(({ content, status }) => ({ content: maskText(content), status })) };
    case 'sources':
      return { ...kept, sources: [] };
    case 'error': {
      const { detail: _detail, ...error } = kept;
      return { ...error, message: maskText(kept.message) };
    }
    case 'raw':
      return { ...kept, value: { purged: true } };
    case 'conversation':
      return kept;
  }
}

/** Stands for the words of a purged block wherever people would read them. */
export const purgedWords = 'Removed for good';

/** Tells whether a purge took out what a block says. A block that was edited since says something again. */
export function isPurged(block: ContentBlock): boolean {
  if (block.purged !== true) return false;
  const text = block.type === 'file' ? block.text : editableText(block);
  return text === undefined || text === maskText(text);
}

/**
 * Tells whether a block looks like one that was purged. People write such texts too, so this alone proves nothing: it is for data that was purged before
 * blocks had a mark (`isPurged`).
 */
export function looksMasked(block: MessageBlock): boolean {
  if (block.provider !== undefined || block.metadata !== undefined) return false;
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text !== '' && block.text === maskText(block.text);
    case 'tool-use':
      return Object.keys(block.parameters).length === 0;
    case 'image':
      return block.url === purgedUrl;
    default:
      return false;
  }
}

const purgedUrl = 'about:blank#purged';

function maskOutput(output: string | object): string {
  return typeof output === 'string' ? maskText(output) : '█';
}
