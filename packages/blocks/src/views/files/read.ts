import type { CodeBlock, ToolBlock } from '../../content-block.ts';
import { definedFields, integerIn, isSetIn, listIn, objectIn, textIn } from '../foreign.ts';
import { languageOfPath } from './language.ts';
import { imageOfBase64, imagesOfParts } from '../media.ts';
import type { Outcome } from '../outcome.ts';
import { pathIn } from '../path.ts';
import type { ReadText, TextFormat } from './read-text.ts';
import type { View } from '../view.ts';

/**
 * Tools that read one file. `formats` are the ways in which the tool writes a file's lines into its text, tried in order
 * where the agent reports no structure.
 */
export function readView(formats: readonly TextFormat[]): View {
  return {
    ofCall: () => [],
    ofResult(parameters, outcome) {
      const reported = blocksOfClaude(parameters, outcome) ?? blocksOfOpencode(outcome) ?? imagesOfParts(outcome.parts);
      return reported.length > 0 ? reported : blocksOfText(parameters, outcome, formats);
    },
  };
}

/** `{type, file}`: what Claude Code's Read reports. */
function blocksOfClaude(parameters: unknown, { details }: Outcome): ToolBlock[] | undefined {
  const file = objectIn(details, 'file');
  const filename = pathIn(file) ?? pathIn(parameters);
  switch (textIn(details, 'type')) {
    case 'text': {
      const content = textIn(file, 'content');
      if (content === undefined) return undefined;
      const place = { start_line: integerIn(file, 'startLine'), total_lines: integerIn(file, 'totalLines') };
      const code = codeOf(filename, { content, ...place });
      // The file goes on, although no line says so.
      return [isSetIn(file, 'truncatedByTokenCap') ? { ...code, metadata: { truncated: true } } : code];
    }
    case 'image':
      return imageBlocks(imageOfBase64(textIn(file, 'base64'), textIn(file, 'type'), filename));
    case 'pdf':
      return imageBlocks(imageOfBase64(textIn(file, 'base64'), 'application/pdf', filename));
    case 'notebook':
      return listIn(file, 'cells')?.flatMap((cell) => blocksOfCell(filename, cell));
    default:
      return undefined;
  }
}

function imageBlocks(image: ToolBlock | undefined): ToolBlock[] | undefined {
  return image === undefined ? undefined : [image];
}

/** `metadata.display`: what opencode's read reports. */
function blocksOfOpencode({ details }: Outcome): ToolBlock[] | undefined {
  const display = objectIn(details, 'display');
  const content = textIn(display, 'text');
  if (content === undefined || textIn(display, 'type') !== 'file') return undefined;
  const place = { start_line: integerIn(display, 'lineStart'), total_lines: integerIn(display, 'totalLines') };
  return [codeOf(textIn(display, 'path'), { content, ...place })];
}

function blocksOfText(parameters: unknown, outcome: Outcome, formats: readonly TextFormat[]): ToolBlock[] {
  const path = pathIn(parameters);
  if (outcome.text === undefined || outcome.text === '') return [];
  for (const format of formats) {
    const read = format(outcome.text, parameters);
    if (read !== undefined) return [codeOf(path, read)];
  }
  return [];
}

function blocksOfCell(filename: string | undefined, cell: unknown): ToolBlock[] {
  const content = textIn(cell, 'source');
  const kind = textIn(cell, 'cellType');
  if (content === undefined || kind === undefined) return [];
  const language = kind === 'code' ? textIn(cell, 'language') : kind === 'markdown' ? 'markdown' : undefined;
  const code: CodeBlock = { type: 'code', content };
  if (language !== undefined) code.language = language;
  if (filename !== undefined) code.filename = filename;
  code.metadata = { cell_type: kind, ...definedFields({ cell_id: textIn(cell, 'cell_id') }) };
  const images = (listIn(cell, 'outputs') ?? []).flatMap((output) => {
    const image = objectIn(output, 'image');
    return imageOfBase64(textIn(image, 'image_data'), textIn(image, 'media_type')) ?? [];
  });
  return [code, ...images];
}

function codeOf(filename: string | undefined, read: ReadText): CodeBlock {
  const code: CodeBlock = { type: 'code', content: read.content };
  const language = filename === undefined ? undefined : languageOfPath(filename);
  if (language !== undefined) code.language = language;
  if (filename !== undefined) code.filename = filename;
  if (read.start_line !== undefined && read.start_line > 0) code.start_line = read.start_line;
  if (read.total_lines !== undefined && read.total_lines >= 0) code.total_lines = read.total_lines;
  return code;
}
