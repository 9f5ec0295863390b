import { blobId } from '@loom/blocks';
import { suffices } from '@loom/kernel';
import type { BlobPort } from '@loom/kernel';
import { answer, answerJson, answerOutcome } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import type { BlobReaders } from '../access/blob-readers.ts';
import { readBody } from '../guard/body.ts';
import { grantOf, identityOf } from './route.ts';
import type { Route } from './route.ts';

/** The largest blob, in bytes. */
const blobLimit = 32 * 1024 * 1024;

/**
 * Makes the routes of blobs. Bytes go up and come down as they are. The block that names them says their type; here they are never more
 * than bytes, so that no browser runs or shows a model's output.
 */
export function blobRoutes(blobs: BlobPort, readers: BlobReaders): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/blobs',
      access: 'token',
      async handle(visit) {
        if (!suffices(identityOf(visit).role, 'appender')) {
          return answerOutcome({ ok: false, refusal: { reason: 'not-permitted', needs: 'appender' } });
        }
        const bytes = await readBody(visit.request, 'application/octet-stream', blobLimit);
        const blob = await blobs.put(bytes);
        readers.noteSent(grantOf(visit).token, blob);
        return answerJson({ ok: true, value: { blob, bytes: bytes.length } });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/blobs/:id',
      access: 'token',
      async handle(visit) {
        const { request, params } = visit;
        const { success, data } = blobId.safeParse(params['id']);
        const { identity, token } = grantOf(visit);
        // A blob that may not be read is not there: the answer does not tell that it exists elsewhere.
        const mayRead = success && (await readers.mayRead({ ...identity, credential: token }, data));
        const length = mayRead ? await blobs.size(data) : undefined;
        if (length === undefined || data === undefined) return fail('no-blob');
        const asked = request.headers.get('range');
        const range = asked === null ? undefined : readRange(asked, length);
        // A long output may be larger than memory: only the range asked for is read.
        const bytes = await blobs.get(data, range);
        return bytes === undefined ? fail('no-blob') : answerRange(bytes, length, range);
      },
    },
  ];
}

function answerRange(bytes: Uint8Array, length: number, range: { start: number; end: number } | undefined): Response {
  return answer(Uint8Array.from(bytes), range === undefined ? 200 : 206, {
    'accept-ranges': 'bytes',
    'content-disposition': 'attachment',
    'content-type': 'application/octet-stream',
    ...(range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end - 1}/${length}` }),
  });
}

/** Reads one range of bytes, end exclusive. Ignores anything else, as the standard wants it. */
function readRange(asked: string, length: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(asked) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const isSuffix = first === '';
  const start = isSuffix ? Math.max(0, length - Number(last)) : Number(first);
  const end = isSuffix || last === '' ? length : Math.min(length, Number(last) + 1);
  if (start >= end) fail('bad-range', `the blob has ${length} bytes`);
  return { start, end };
}
