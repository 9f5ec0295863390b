import type { FileChange, LongOutput, MessageBlock } from '@loom/blocks';
import type { Share } from './shares.ts';

/** The names that a copy uses instead of those of the conversation. */
export interface CopyNames {
  /** Returns the id of a block. */
  block(): string;
  /** Returns the id of a call. */
  call(id: string): string;
}

/**
 * Returns what readers of a share get of a block, if anything: its content and its state, field by field, so that a field which is new
 * stays unseen until this says otherwise. Blobs have their own ids still.
 */
export function sharedBlock(
  block: MessageBlock,
  { thinking, tools }: Pick<Share, 'thinking' | 'tools'>,
  names: CopyNames,
): MessageBlock | undefined {
  const content = contentOf(block, thinking, tools, names);
  if (content === undefined) return undefined;
  const { status, error, created_at, ended_at, purged } = block;
  return {
    ...content,
    block_id: names.block(),
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(created_at === undefined ? {} : { created_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(purged === undefined ? {} : { purged }),
  };
}

function contentOf(block: MessageBlock, thinking: boolean, tools: boolean, names: CopyNames): MessageBlock | undefined {
  switch (block.type) {
    case 'text':
      return { type: block.type, text: block.text };
    case 'thinking':
      return thinking ? { type: block.type, text: block.text } : undefined;
    case 'tool-use': {
      const { type, id, name, parameters } = block;
      return tools ? { type, id: names.call(id), name, parameters } : undefined;
    }
    case 'image': {
      const { type, media_type, blob, url, filename } = block;
      // Other addresses are of this machine, or hold the bytes themselves, which nothing has looked at.
      if (blob === undefined && !/^https?:\/\//iu.test(url ?? '')) return { type: 'text', text: unshown(filename) };
      return {
        type,
        media_type,
        ...(blob === undefined ? {} : { blob }),
        ...(url === undefined ? {} : { url }),
        ...(filename === undefined ? {} : { filename }),
      };
    }
    case 'code': {
      const { type, content, language, filename, start_line, total_lines } = block;
      return {
        type,
        content,
        ...(language === undefined ? {} : { language }),
        ...(filename === undefined ? {} : { filename }),
        ...(start_line === undefined ? {} : { start_line }),
        ...(total_lines === undefined ? {} : { total_lines }),
      };
    }
    case 'command': {
      const { type, command, stdout, stderr, exit_code, duration_ms } = block;
      return {
        type,
        command,
        ...(stdout === undefined ? {} : { stdout: shownOutput(stdout) }),
        ...(stderr === undefined ? {} : { stderr: shownOutput(stderr) }),
        ...(exit_code === undefined ? {} : { exit_code }),
        ...(duration_ms === undefined ? {} : { duration_ms }),
      };
    }
    case 'file-change':
      return { type: block.type, changes: block.changes.map(shownChange) };
    case 'todo':
      return { type: block.type, items: block.items.map(({ content, status }) => ({ content, status })) };
    case 'sources':
      return { type: block.type, sources: block.sources.map(({ id, url, title }) => ({ id, url, title })) };
    case 'error':
      return { type: block.type, code: block.code, message: block.message };
    // Native data of programs and providers, and other conversations.
    case 'raw':
    case 'conversation':
      return undefined;
  }
}

function shownOutput(output: string | LongOutput): string | LongOutput {
  if (typeof output === 'string') return output;
  const { blob, bytes, preview, tail, printed } = output;
  return {
    ...(blob === undefined ? {} : { blob }),
    bytes,
    preview,
    ...(tail === undefined ? {} : { tail }),
    ...(printed === undefined ? {} : { printed }),
  };
}

/** The contents before and after are not shown: the difference says what changed. */
function shownChange({ path, kind, from, diff }: FileChange): FileChange {
  return { path, kind, ...(from === undefined ? {} : { from }), ...(diff === undefined ? {} : { diff }) };
}

/** Says that a file is not part of a copy. */
export function unshown(filename: string | undefined): string {
  return `*${filename ?? 'A file'} is not part of this link.*`;
}
