import { createHash } from 'node:crypto';
import { archiveLine, noCounts } from '../archive-line.ts';
import type { ArchiveLine, LogLine } from '../archive-line.ts';
import { chainHash } from '../log-chain.ts';
import { readRecord } from '../log-record.ts';

/** The same lines with an end that fits them, as a forger of archives would write it. */
export function resealed(lines: readonly string[]): string[] {
  const everything = createHash('sha256');
  const body = lines.slice(0, -1);
  for (const line of body) everything.update(line).update('\n');
  const hash = everything.digest('hex');
  return [...body, (lines.at(-1) ?? '').replace(/"hash":"[0-9a-f]{64}"/u, `"hash":"${hash}"`)];
}

/** The same, by a forger that counts again and corrects the hashes of the logs, too. */
export function forged(lines: readonly string[]): string[] {
  const counts = noCounts();
  let log: LogLine | undefined;
  let hash = '';
  const mended = lines.map((text): ArchiveLine => {
    const line = archiveLine.parse(JSON.parse(text));
    switch (line.type) {
      case 'log':
        [log, hash] = [line, line.hash];
        return line;
      case 'record': {
        const { changes } = readRecord(log?.name ?? '', line.text);
        for (const { canonical } of changes) hash = chainHash(hash, canonical);
        counts.records += 1;
        counts.changes += changes.length;
        return { ...line, hash };
      }
      case 'log-end':
        counts.logs += 1;
        return { ...line, hash };
      case 'blob':
        counts.blobs += 1;
        counts.blob_bytes += line.bytes;
        return line;
      case 'end':
        return { ...line, ...counts };
      case 'archive':
      case 'text':
      case 'bytes':
      case 'blob-missing':
      case 'log-missing':
        return line;
    }
  });
  return resealed(mended.map((line) => JSON.stringify(line)));
}
