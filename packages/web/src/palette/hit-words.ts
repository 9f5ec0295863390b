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

/** What a block is called in a list of results: its file, its tool, or what it is and who wrote it. */
export function hitTitle({ path, place }: Pick<Hit, 'path' | 'place'>): string {
  if (path !== undefined) return path;
  if (place === undefined) return '…';
  const { role, type, tool, model } = place;
  if (role === 'tool') return `Result of ${tool ?? 'a tool'}`;
  if (type === 'tool-use') return tool ?? 'Tool call';
  const who = role === 'user' ? 'You' : modelName(model);
  const kind = names[type];
  return kind === undefined ? who : `${kind}, ${who}`;
}

/** Whether a block is prose; everything else is shown in the letters of code. */
export function isWritten({ place, path }: Pick<Hit, 'path' | 'place'>): boolean {
  if (path !== undefined) return false;
  return place === undefined || (place.role !== 'tool' && (place.type === 'text' || place.type === 'thinking'));
}

/** Histories of some programs name no model. */
function modelName(model = ''): string {
  return model.slice(model.indexOf(':') + 1) || 'Model';
}
