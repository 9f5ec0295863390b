import type { ResultOf } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { orFail } from '../../words/refusal-error.ts';

/** Bytes of one call; the operation takes no more. */
const piece = 64 * 1024;

/** `loom read sha256:…` prints all of a long output, piece by piece: it may be larger than memory. */
export function readBlob({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const [blob = ''] = words;
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    for (let start: number | undefined = 0; start !== undefined;) {
      const part: ResultOf<'blob.read'> = orFail(await loom.call('blob.read', { blob, start, end: start + piece }));
      if (isJson) terminal.out(`${JSON.stringify({ ok: true, blob, ...part })}\n`);
      else terminal.out(terminal.screen.isOut ? showControls(part.text) : part.text);
      await terminal.drained?.();
      start = part.next;
    }
    return EXIT.ok;
  });
}
