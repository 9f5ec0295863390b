import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessOutput, ProcessPort } from '@loom/kernel';

/** Starts programs without a guard, for tests that need git or ripgrep. */
export function plainProcesses(): Pick<ProcessPort, 'spawn'> {
  return {
    async spawn({ command: [program = '', ...args], directory, environment, takesInput = false }) {
      const child = spawn(program, args, {
        cwd: directory,
        env: { ...environment },
        stdio: 'pipe',
      });
      try {
        await once(child, 'spawn');
      } catch (error) {
        return { ok: false, refusal: { reason: 'program-not-found', message: String(error) } };
      }
      if (!takesInput) child.stdin.end();
      const ended = once(child, 'exit').then(([code]: unknown[]) => ({
        reason: 'exited' as const,
        ...(typeof code === 'number' ? { code } : {}),
      }));
      const pieces: ProcessOutput[] = [];
      child.stdout.on('data', (bytes: Buffer) => pieces.push({ stream: 'stdout', bytes }));
      child.stderr.on('data', (bytes: Buffer) => pieces.push({ stream: 'stderr', bytes }));
      const closed = once(child, 'close');
      async function* output(): AsyncGenerator<ProcessOutput> {
        await closed;
        yield* pieces;
      }
      return {
        ok: true,
        process: {
          pid: child.pid ?? 0,
          output: output(),
          printed: 0,
          dropped: 0,
          write: async (bytes) => void child.stdin.write(bytes),
          endInput: () => child.stdin.end(),
          ended,
          stop: () => ended,
        },
      };
    },
  };
}
