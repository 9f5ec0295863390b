import { pathWords } from '@loom/blocks';
import type { Hit } from './block-searches.ts';

const names: Readonly<Record<string, string>> = {
  thinking: 'Thinking',
  code: 'Code',
  command: 'Command',
  'file-change': 'File change',
  todo: 'Plan',
  sources: 'Sources',
  image: 'Image',
  error: 'Error',
  conversation: 'Sub-agent',
  raw: 'Kept as it came',
};

/** Returns the name of a block in a list of results: its file, its tool, or its kind and author. */
export function hitTitle({ path, place }: Pick<Hit, 'path' | 'place'>): string {
  if (path !== undefined) return pathWords(path, { folder: place?.directory });
  if (place === undefined) return '…';
  const { role, type, tool, model } = place;
  if (role === 'tool') return `Result of ${tool ?? 'a tool'}`;
  if (type === 'tool-use') return tool ?? 'Tool call';
  const who = role === 'user' ? 'You' : modelName(model);
  const kind = names[type];
  return kind === undefined ? who : `${kind}, ${who}`;
}

/** Returns true if a block is prose; everything else is shown in a monospaced font. */
export function isWritten({ place, path }: Pick<Hit, 'path' | 'place'>): boolean {
  if (path !== undefined) return false;
  return place === undefined || (place.role !== 'tool' && (place.type === 'text' || place.type === 'thinking'));
}

/** Histories of some programs name no model. */
function modelName(model = ''): string {
  return model.slice(model.indexOf(':') + 1) || 'Model';
}
