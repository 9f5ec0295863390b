import { homeAround, isPlainObject, pathWords } from '@loom/blocks';
import type { ErrorWords } from './error-words.ts';

/** An error of an agent's program, with what only such a program needs. */
export interface AgentErrorWords extends ErrorWords {
  readonly retryLabel?: string;
  readonly resumeLabel?: string;
  /** The command to run in a terminal before another try. */
  readonly command?: string;
  /** The folder that is gone: another one can be chosen. */
  readonly folder?: string;
  /** The end of what the program said before it ended. */
  readonly output?: string;
}

/** Words the failure of an agent's program by the facts that it comes with; `undefined` for all others. */
export function agentErrorWords(detail: unknown): AgentErrorWords | undefined {
  if (!isPlainObject(detail)) return undefined;
  if (typeof detail['gone'] === 'string') {
    return {
      title: `${pathWords(detail['gone'], { home: homeAround(detail['gone']) })} is no longer there`,
      said: '',
      advice: 'You can read everything; to go on, put the folder back or choose another one.',
      canRetry: true,
      canResume: false,
      folder: detail['gone'],
    };
  }
  const { agent, login, ended, exit, complaints } = detail;
  if (typeof agent !== 'string') return undefined;
  if (typeof login === 'string') {
    return {
      title: `${agent} is not logged in`,
      said: '',
      advice: 'Log in once in a terminal; Loom never sees your password. Your message is kept.',
      canRetry: true,
      canResume: false,
      retryLabel: "I'm logged in, send again",
      command: login,
    };
  }
  if (ended !== true) return undefined;
  const how = typeof exit === 'number' ? `, exit ${exit}` : typeof exit === 'string' ? `, ${exit}` : '';
  return {
    title: `${agent} stopped${how}`,
    said: '',
    advice: 'Everything until then is kept.',
    canRetry: false,
    canResume: true,
    resumeLabel: 'Continue from here',
    ...(typeof complaints === 'string' ? { output: complaints } : {}),
  };
}
