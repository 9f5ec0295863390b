import { recentLeaves, refuse } from '@loom/kernel';
import type { ExportAnswer, ExportFormat, ExportPort, LoomEngine, RootState } from '@loom/kernel';
import { htmlExport } from './html/html.ts';
import { loomLinesExport } from './loom-lines.ts';
import { markdownExport } from './markdown.ts';
import { messagesExport } from './arrays/message-arrays.ts';
import { openSession, recordOrigins } from './session-names.ts';
import { exportSource } from './source.ts';
import type { ExportRange, ExportSource } from './source.ts';

export interface ExportPortOptions {
  newId: () => string;
  /** The working directory of a session whose conversation has no folder. */
  directory: string;
}

/** Writes conversations of an engine in the forms of other programs. */
export function createExportPort({ newId, directory }: ExportPortOptions): ExportPort {
  return {
    async create(engine, order, { agent }) {
      const root = order.place.split('/node-')[0] ?? order.place;
      const opened = await engine.open(root);
      if (!opened.ok) return opened;
      const state = opened.value;
      const isNode = state.nodes.has(order.place);
      const source = exportSource(state, engine.blobs);
      if (order.format !== 'claude-code' && order.format !== 'codex') {
        const range = isNode && !order.whole ? { node: order.place } : {};
        return { ok: true, value: await keep(engine, write(source, range, order.format), nameOf(state, order.format)) };
      }
      const end = isNode ? order.place : recentLeaves(state, 1)[0]?.id;
      if (end === undefined) return refuse({ reason: 'empty-message', message: 0 });
      const session = openSession(state, source, { ...order, end, otherwise: directory });
      const value = await keep(engine, session.lines(), {
        name: session.path.split('/').at(-1) ?? session.path,
        media_type: 'application/jsonl',
      });
      const { id, path, command } = session;
      const notes = session.notes().map(({ message }) => message);
      await recordOrigins(engine.forest, { agent, id: newId() }, state.id, session, order.format);
      return { ok: true, value: { ...value, notes, session: { id, path, command: [...command] } } };
    },
  };
}

function write(
  source: ExportSource,
  range: ExportRange,
  format: Exclude<ExportFormat, 'claude-code' | 'codex'>,
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

const endings: Record<Exclude<ExportFormat, 'claude-code' | 'codex'>, readonly [ending: string, type: string]> = {
  markdown: ['md', 'text/markdown'],
  html: ['html', 'text/html'],
  jsonl: ['jsonl', 'application/jsonl'],
  'ai-sdk': ['ai-sdk.json', 'application/json'],
  openai: ['openai.json', 'application/json'],
  anthropic: ['anthropic.json', 'application/json'],
};

type FileFacts = Pick<ExportAnswer, 'name' | 'media_type'>;

function nameOf(state: RootState, format: keyof typeof endings): FileFacts {
  const [ending, media_type] = endings[format];
  const words = (state.title ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const title = words.slice(0, 8).join('-').slice(0, 60);
  return { name: `${title === '' ? state.id : title}.${ending}`, media_type };
}

async function keep(
  { blobs }: LoomEngine,
  pieces: Iterable<string> | AsyncIterable<string>,
  facts: FileFacts,
): Promise<ExportAnswer> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(encoder.encode(piece));
  const bytes = Buffer.concat(parts);
  return { blob: await blobs.put(bytes), bytes: bytes.length, ...facts, notes: [] };
}
