import { refuse } from '@loom/kernel';
import type { ArchiveOrder, ArchiveReport, JobHandle, LoomEngine } from '@loom/kernel';
import { isAboutOneLog } from '@loom/kernel/store';
import { SecretCounts } from './secret-counts.ts';
import { fileName, writePieces } from './written-file.ts';
import { exportSource } from '../source.ts';
import { ZipWriter } from './zip-writer.ts';

/** Writes many conversations into one archive, a folder for each project. One that cannot be read is named and left out. */
export async function archiveConversations(
  engine: LoomEngine,
  { roots, format, replacesSecrets }: ArchiveOrder,
  { signal, report }: JobHandle,
): Promise<ArchiveReport> {
  const zip = new ZipWriter();
  const secrets = new SecretCounts();
  const names = new FileNames();
  const unread: ArchiveReport['unread'] = [];
  let files = 0;
  for (const [index, root] of roots.entries()) {
    if (signal.aborted) break;
    report(`Wrote ${index} of ${roots.length} conversations`, index / roots.length);
    const opened = await openUnlessDamaged(engine, root);
    if (!opened.ok) {
      unread.push({ root, why: opened.refusal.reason });
      continue;
    }
    const state = opened.value;
    const project = await engine.projects.find(state);
    const pieces = writePieces(exportSource(state, engine.blobs), {}, format);
    const bytes = await secrets.collect(pieces, replacesSecrets);
    await zip.add(names.take(folderName(project), fileName(state, format).name), bytes, new Date(state.updated));
    files += 1;
    await engine.pause();
  }
  const cancelled = signal.aborted;
  const counted = { files, secrets: secrets.list(), unread, cancelled };
  if (cancelled || files === 0) return counted;
  const bytes = zip.end();
  const day = new Date(engine.now()).toISOString().slice(0, 10);
  const facts = { bytes: bytes.length, name: `loom-${day}-${files}.zip`, media_type: 'application/zip' };
  return { ...counted, archive: { blob: await engine.blobs.put(bytes), ...facts } };
}

type Opened = Awaited<ReturnType<LoomEngine['open']>>;

async function openUnlessDamaged(engine: LoomEngine, root: string): Promise<Opened> {
  try {
    const opened = await engine.open(root);
    return opened.ok && opened.value.deleted ? refuse({ reason: 'root-deleted', root }) : opened;
  } catch (error) {
    if (!isAboutOneLog(error)) throw error;
    return refuse({ reason: 'root-not-found', root });
  }
}

/** Gives out paths, each once, also where capital letters make no difference. */
class FileNames {
  readonly #taken = new Set<string>();

  take(folder: string, name: string): string {
    const [, stem = name, ending = ''] = /^(.+?)((?:\.[\w-]+)+)$/u.exec(name) ?? [];
    for (let number = 1; ; number += 1) {
      const path = `${folder}/${number === 1 ? name : `${stem}-${number}${ending}`}`;
      if (this.#taken.has(path.toLowerCase())) continue;
      this.#taken.add(path.toLowerCase());
      return path;
    }
  }
}

/** The name of a project as that of a folder: nothing in it leads elsewhere. */
function folderName(project: string | undefined): string {
  const last = project?.split(/[/\\]/u).findLast((part) => part !== '') ?? '';
  const words = last.match(/[\p{L}\p{N}_.-]+/gu)?.join('-') ?? '';
  const bare = words.replace(/^\.+/u, '').slice(0, 60);
  return bare === '' ? 'no-project' : bare;
}
