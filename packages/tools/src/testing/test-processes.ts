import { spawn } from 'node:child_process';
import type { ProcessEnd, ProcessOutput, ProcessPort } from '@loom/kernel';

/** Starts programs for tests of tools: without the guard of Loom, but with limits, signals and groups. */
export function testProcesses(): Pick<ProcessPort, 'spawn'> {
  return {
    async spawn({ command: [program = '', ...args], directory, environment, takesInput = false, limits, signal }) {
      const child = spawn(program, args, {
        cwd: directory,
        env: { ...environment },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.on('error', () => {});
      if (!takesInput) child.stdin.end();
      const started = await new Promise<Error | undefined>((resolve) => {
        child.once('spawn', () => resolve(undefined));
        child.once('error', resolve);
      });
      if (started !== undefined)
        return { ok: false, refusal: { reason: 'program-not-found', message: started.message } };
      let reason: ProcessEnd['reason'] = 'exited';
      const pid = child.pid ?? 0;
      const end = (why: ProcessEnd['reason']): void => {
        reason = why;
        try {
          process.kill(-pid, 'SIGKILL');
        } catch {
          // It is gone.
        }
      };
      const timer = limits?.time === undefined ? undefined : setTimeout(() => end('time-limit'), limits.time);
      const abort = (): void => end('stopped');
      signal?.addEventListener('abort', abort);
      if (signal?.aborted === true) abort();
      const ended = new Promise<ProcessEnd>((resolve) => {
        child.once('close', (code, by) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          resolve({ reason, ...(code === null ? {} : { code }), ...(by === null ? {} : { signal: by }) });
        });
      });
      const counted = { printed: 0, dropped: 0 };
      async function* read(): AsyncGenerator<ProcessOutput> {
        const pieces: ProcessOutput[] = [];
        let wake = (): void => {};
        const keep = (stream: ProcessOutput['stream']) => (bytes: Buffer) => {
          counted.printed += bytes.length;
          pieces.push({ stream, bytes });
          wake();
        };
        child.stdout.on('data', keep('stdout'));
        child.stderr.on('data', keep('stderr'));
        let isOver = false;
        child.once('close', () => {
          isOver = true;
          wake();
        });
        for (;;) {
          const piece = pieces.shift();
          if (piece !== undefined) yield piece;
          else if (isOver) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      }
      const running = {
        pid,
        output: read(),
        write: (bytes: Uint8Array) => {
          child.stdin.write(bytes);
          return Promise.resolve();
        },
        endInput: () => void child.stdin.end(),
        ended,
        stop: () => {
          end('stopped');
          return ended;
        },
        get printed() {
          return counted.printed;
        },
        get dropped() {
          return counted.dropped;
        },
      };
      return { ok: true, process: running };
    },
  };
}
