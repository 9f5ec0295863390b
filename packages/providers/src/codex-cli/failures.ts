import type { CodexError } from '@loom/exchange/codex';
import type { CallError, CallErrorCode, SpawnRefusal } from '@loom/kernel';
import { endOf } from '../agent-cli/index.ts';

/** Returns a failure that Codex tells as that of a call. */
export function callErrorOf({ message, kind, status }: CodexError): CallError {
  const code = codes.get(kind ?? '') ?? codeOfStatus(status) ?? codeOfWords(message);
  return {
    code,
    message,
    ...(kind === undefined ? {} : { detail: { kind, ...(status === undefined ? {} : { status }) } }),
  };
}

/** Returns the failure of a program that cannot be started, with what to do. */
export function startError(program: string, { reason, message }: SpawnRefusal): CallError {
  const advice =
    reason === 'program-not-found'
      ? ' Install Codex (npm install -g @openai/codex), or say where it is: loom config set agents.codex.command <path>.'
      : '';
  return { code: 'failed', message: `Codex (${program}) cannot be started: ${message}${advice}`, final: true };
}

/** A program that has ended: the end of its error output, and its exit code or signal. */
interface Gone {
  readonly complaints: string;
  readonly exit?: number | string | undefined;
}

/** Returns the failure of a program that ended in the middle. */
export function goneError({ complaints, exit }: Gone): CallError {
  const said = complaints === '' ? '' : ` It said: ${complaints.split('\n').slice(-5).join('\n')}`;
  const message = `Codex ended in the middle of its answer.${said}`;
  return { code: 'failed', message, detail: endOf('Codex', exit, complaints) };
}

const codes: ReadonlyMap<string, CallErrorCode> = new Map<string, CallErrorCode>([
  ['contextWindowExceeded', 'too-long'],
  ['sessionBudgetExceeded', 'quota'],
  ['usageLimitExceeded', 'quota'],
  ['rateLimitExceeded', 'rate-limit'],
  ['serverOverloaded', 'overloaded'],
  ['modelNotFound', 'unknown-model'],
  ['unauthorized', 'auth'],
  ['badRequest', 'invalid-request'],
  ['cyberPolicy', 'refused'],
  ['misalignmentPolicyViolation', 'refused'],
  ['internalServerError', 'overloaded'],
]);

function codeOfStatus(status: number | undefined): CallErrorCode | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'unknown-model';
  if (status === 429) return 'rate-limit';
  if (status >= 500) return 'overloaded';
  return 'invalid-request';
}

function codeOfWords(message: string): CallErrorCode {
  if (/\b401\b|unauthorized|not logged in|log ?in/i.test(message)) return 'auth';
  return /stream disconnected|connection|network/i.test(message) ? 'network' : 'failed';
}
