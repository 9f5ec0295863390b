import { findSecrets, maskFound, withoutSecrets } from '@loom/blocks';
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
        const pieces = write(source, range, order.format);
        return { ok: true, value: await keep(engine, pieces, nameOf(state, order.format), order.replacesSecrets) };
      }
      const end = isNode ? order.place : recentLeaves(state, 1)[0]?.id;
      if (end === undefined) return refuse({ reason: 'empty-message', message: 0 });
      const session = openSession(state, source, { ...order, end, otherwise: directory });
      const facts = { name: session.path.split('/').at(-1) ?? session.path, media_type: 'application/jsonl' };
      const value = await keep(engine, session.lines(), facts, order.replacesSecrets);
      const { id, path, command } = session;
      const notes = session.notes().map(({ message }) => message);
      // With other words it is not the session that an import knows again.
      if (order.replacesSecrets && value.secrets.length > 0) notes.push(replacedNote);
      else await recordOrigins(engine.forest, { agent, id: newId() }, state.id, session, order.format);
      return { ok: true, value: { ...value, notes, session: { id, path, command: [...command] } } };
    },
  };
}

const replacedNote =
  'Secrets were replaced, so that importing this session later makes a conversation of its own. A model may refuse thinking in which something was replaced.';

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

/** Secrets are looked for in what is written, whatever the format: what nothing was found in has been looked at as it goes out. */
async function keep(
  { blobs }: LoomEngine,
  pieces: Iterable<string> | AsyncIterable<string>,
  facts: FileFacts,
  replacesSecrets: boolean,
): Promise<ExportAnswer> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const counts = new Map<string, ExportAnswer['secrets'][number]>();
  for await (const piece of pieces) {
    const found = findSecrets(piece);
    for (const secret of found) {
      const { kind } = secret;
      const masked = maskFound(piece, secret);
      const known = counts.get(`${kind} ${masked}`);
      counts.set(`${kind} ${masked}`, { kind, masked, count: (known?.count ?? 0) + 1 });
    }
    parts.push(encoder.encode(replacesSecrets ? withoutSecrets(piece, found) : piece));
  }
  const bytes = Buffer.concat(parts);
  const secrets = [...counts.values()].slice(0, mostSecrets);
  return { blob: await blobs.put(bytes), bytes: bytes.length, ...facts, notes: [], secrets };
}

const mostSecrets = 1_000;
