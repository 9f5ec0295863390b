import type { Call } from '../command-line/command.ts';
import { styleFor } from '../terminal/style.ts';

export function greet({ terminal }: Call, url: string, code: string): void {
  const style = styleFor(terminal, 'out');
  terminal.out(`Loom is running. Open this address in a browser; it signs you in once, within five minutes:\n\n`);
  terminal.out(`  ${style.strong(`${url}/#code=${code}`)}\n\n`);
  terminal.out(`Ctrl-C stops it. Answers that are being written then end as interrupted, with their text.\n`);
}

/** Resolves at the first Ctrl-C, or when the system asks the process to end. */
export function untilStopped({ terminal }: Call): Promise<void> {
  return new Promise((resolve) => {
    const stopListening = terminal.onInterrupt(() => finish());
    const finish = (): void => {
      // The next Ctrl-C ends the process at once. That its terminal is closed it may hear more than once.
      stopListening();
      process.off('SIGTERM', finish);
      resolve();
    };
    process.on('SIGTERM', finish).on('SIGHUP', finish);
  });
}

export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
