import type { ExportAnswer, FileFormat, RootState } from '@loom/kernel';
import { htmlExport } from '../html/html.ts';
import { loomLinesExport } from '../loom-lines.ts';
import { markdownExport } from '../markdown.ts';
import { messagesExport } from '../arrays/message-arrays.ts';
import type { ExportRange, ExportSource } from '../source.ts';

/** Writes a conversation, or a branch of it, in one of the forms that are files. */
export function writePieces(
  source: ExportSource,
  range: ExportRange,
  format: FileFormat,
): Iterable<string> | AsyncIterable<string> {
  switch (format) {
    case 'markdown':
      return markdownExport(source, range);
    case 'html':
      return htmlExport(source, range);
    case 'jsonl':
      return loomLinesExport(source, range);
    default:
      return messagesExport(source, range, format);
  }
}

const endings: Record<FileFormat, readonly [ending: string, type: string]> = {
  markdown: ['md', 'text/markdown'],
  html: ['html', 'text/html'],
  jsonl: ['jsonl', 'application/jsonl'],
  'ai-sdk': ['ai-sdk.json', 'application/json'],
  openai: ['openai.json', 'application/json'],
  anthropic: ['anthropic.json', 'application/json'],
};

export type FileFacts = Pick<ExportAnswer, 'name' | 'media_type'>;

/** Returns the name of the file: the first words of the title, else the id. */
export function fileName(state: RootState, format: FileFormat): FileFacts {
  const [ending, media_type] = endings[format];
  const words = (state.title ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const title = words.slice(0, 8).join('-').slice(0, 60);
  return { name: `${title === '' ? state.id : title}.${ending}`, media_type };
}
