import { count } from '../../words/amounts.ts';
import { duration, shortTime, wholeSeconds } from '../../words/times.ts';
import type { ServerInfo, ServerTool } from './server-answers.ts';

/** Words how a server is started or reached, and how it does. */
export function aboutServer(server: ServerInfo, now: number): string {
  const { command, url, state, message, failures = 0, retry_at: retry, since, calls } = server;
  const how = url ?? command ?? '';
  if (state === 'failed') {
    const wait = retry === undefined ? 0 : Math.max(0, Date.parse(retry) - now);
    return `${message ?? 'it ended'} · failed ${failures === 1 ? 'once' : count(failures, 'time')}, retrying in ${wholeSeconds(wait)}`;
  }
  if (state === 'needs-login') return `${how} · ${message ?? 'the server asks for a login'}`;
  if (state !== 'ready' || since === undefined) return how;
  const called = calls === 0 ? '' : ` · ${count(calls, 'call')}`;
  return `${how} · running ${duration(Math.max(0, now - Date.parse(since)))}${called}`;
}

/** The tokens that descriptions of the tools take in every request, by the usual four characters each. */
export function tokensOf(tools: readonly ServerTool[]): number {
  const told = tools.filter(({ withheld }) => withheld === undefined);
  const length = told.reduce(
    (sum, { name, description, parameters }) => sum + JSON.stringify({ name, description, parameters }).length,
    0,
  );
  return Math.round(length / 4);
}

/** Everything that a server says about a tool and a model or a person acts on. */
export function claimLines({
  description,
  parameters,
  effect,
}: Pick<ServerTool, 'description' | 'parameters' | 'effect'>): string {
  return `${description}\n\n${JSON.stringify(parameters, undefined, 2)}\n\n${effect === 'reads' ? 'It says that it only reads.' : 'It may change something.'}`;
}

/** Words when a description was accepted: `just now`, `6m ago`, `on Mon`, `on Nov 12`. */
export function acceptedWords(at: string, now: number): string {
  const short = shortTime(Date.parse(at), now);
  if (short === 'now') return 'just now';
  return /^\d+[mhd]$/u.test(short) ? `${short} ago` : `on ${short}`;
}
