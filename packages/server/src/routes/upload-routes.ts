import { suffices } from '@loom/kernel';
import { answerJson, answerOutcome } from '../answers/answer.ts';
import { fail, ProblemError } from '../answers/problems.ts';
import { streamBody } from '../guard/body.ts';
import { identityOf } from './route.ts';
import type { Route } from './route.ts';

/** Keeps files that are sent to be imported, until that is done. */
export interface UploadPort {
  /** Keeps all bytes under a unique name; if they end in an error it keeps nothing of them, and fails with that. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<{ upload: string; bytes: number }>;
}

/** The largest file, in bytes. */
const uploadLimit = 1024 ** 3;

/** Files of people's own machines come up part by part; `import.start` takes them in. */
export function uploadRoutes(uploads: UploadPort): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/uploads',
      access: 'token',
      async handle(visit) {
        if (!suffices(identityOf(visit).role, 'owner')) {
          return answerOutcome({ ok: false, refusal: { reason: 'not-permitted', needs: 'owner' } });
        }
        const parts = streamBody(visit.request, 'application/octet-stream', uploadLimit, 'upload-too-large');
        return answerJson({ ok: true, value: await uploads.receive(parts).catch(failForDisk) });
      },
    },
  ];
}

/** Turns a failure of the disk into a problem with advice: it is not a defect of Loom. */
function failForDisk(error: unknown): never {
  // Problems of the request itself are worded already.
  if (error instanceof ProblemError || !(error instanceof Error) || !('syscall' in error) || !('code' in error))
    throw error;
  const { code } = error;
  if (code === 'ENOSPC' || code === 'EDQUOT') fail('upload-without-room');
  if (typeof code === 'string' && diskFailures.has(code)) fail('upload-not-kept', code);
  throw error;
}

const diskFailures: ReadonlySet<string> = new Set([
  'EACCES',
  'EFBIG',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);
