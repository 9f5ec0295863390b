import { LoomError } from './failure.ts';
import { redact, secretsOf } from '../secrets.ts';
import { styleFor } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Reports a failure and what to do. For people on stderr; with --json as the one document on stdout, so that a program finds success and
 * failure in the same place. Secrets are masked.
 */
export function printFailure(error: unknown, terminal: Terminal, isJson: boolean): void {
  const { env } = terminal;
  const clean = (text: string): string => redact(text, secretsOf(env));
  const failure = describe(error);
  const isDebug = (env['LOOM_DEBUG'] ?? '') !== '' && env['LOOM_DEBUG'] !== '0';
  if (isJson) {
    const { code, message, advice, details } = failure;
    const cleanEach = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value);
    terminal.out(`${JSON.stringify({ ok: false, error: { code, message, advice, ...details } }, cleanEach)}\n`);
  } else {
    const style = styleFor(terminal, 'note');
    terminal.note(clean(`${style.bad('loom:')} ${failure.message}\n`));
    if (failure.advice !== undefined) terminal.note(clean(`${style.faint(failure.advice)}\n`));
  }
  if (isDebug) terminal.note(clean(`${stackOf(error)}\n`));
}

type Failure = Pick<LoomError, 'code' | 'message' | 'advice' | 'details'>;

function describe(error: unknown): Failure {
  if (error instanceof LoomError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message: `unexpected error: ${message.split('\n')[0] ?? ''}`,
    advice: 'This is a defect in Loom. Please report it with the output of the same command under LOOM_DEBUG=1.',
    details: {},
  };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${stackOf(error.cause)}`;
}
