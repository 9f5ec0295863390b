import { recentLeaves, refuse } from '@loom/kernel';
import type { ExportAnswer, ExportPort, LoomEngine } from '@loom/kernel';
import { archiveConversations } from './writing/archive.ts';
import { SecretCounts } from './writing/secret-counts.ts';
import { openSession, recordOrigins } from './session-names.ts';
import { exportSource } from './source.ts';
import { fileName, writePieces } from './writing/written-file.ts';
import type { FileFacts } from './writing/written-file.ts';

export interface ExportPortOptions {
  newId: () => string;
  /** The working directory of a session whose conversation has no folder. */
  directory: string;
}

/** Writes conversations of an engine in the forms of other programs. */
export function createExportPort({ newId, directory }: ExportPortOptions): ExportPort {
  return {
    archive: archiveConversations,
    async create(engine, order, { agent }) {
      const root = order.place.split('/node-')[0] ?? order.place;
      const opened = await engine.open(root);
      if (!opened.ok) return opened;
      const state = opened.value;
      const isNode = state.nodes.has(order.place);
      const source = exportSource(state, engine.blobs);
      if (order.format !== 'claude-code' && order.format !== 'codex') {
        const range = isNode && !order.whole ? { node: order.place } : {};
        const pieces = writePieces(source, range, order.format);
        return { ok: true, value: await keep(engine, pieces, fileName(state, order.format), order.replacesSecrets) };
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

async function keep(
  { blobs }: LoomEngine,
  pieces: Iterable<string> | AsyncIterable<string>,
  facts: FileFacts,
  replacesSecrets: boolean,
): Promise<ExportAnswer> {
  const secrets = new SecretCounts();
  const bytes = await secrets.collect(pieces, replacesSecrets);
  return { blob: await blobs.put(bytes), bytes: bytes.length, ...facts, notes: [], secrets: secrets.list() };
}
