import { forgetInFolder } from '@loom/data-folder';
import type { FolderFiles } from '@loom/data-folder';
import type { BlobPort, CopiesPort } from '@loom/kernel';
import type { TextIndex } from '@loom/kernel/search';
import { inputHistoryFile } from '../chat/input/input-history.ts';

interface FolderCopies {
  blobs: Pick<BlobPort, 'get'>;
  index: TextIndex | undefined;
  /** The readable files, which are there later than the engine that is handed this. */
  files: () => FolderFiles | undefined;
}

/** Returns the copies of conversations that a data folder keeps beside its store: readable files, the search index, the lines typed in chats. */
export function copiesIn(dataDir: string, { blobs, index, files }: FolderCopies): CopiesPort {
  return {
    forget(purged, rewrite) {
      const forget = (): Promise<boolean> =>
        forgetInFolder({ dataDir, files: files(), alsoRemoved: [inputHistoryFile] }, purged, rewrite);
      return index?.whileClosed === undefined ? forget() : index.whileClosed(forget);
    },
    async mayMention(lines, names) {
      const { mayMention } = await import('@loom/exchange/importing');
      return mayMention(blobs, lines, names);
    },
  };
}
