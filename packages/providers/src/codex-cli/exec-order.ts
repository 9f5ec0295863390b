import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ProviderCall, ProviderOffer, ProviderRequest } from '@loom/kernel';
import { lastMark } from './continuing.ts';
import type { Continued } from './continuing.ts';
import { branchAsText, inputOf, waitingBlocks } from './input.ts';
import { findSessionFile, lastTurnIn, writeSession } from './session-file.ts';

/** A thread that `codex exec` goes on with; without an id it begins one under a name that it chooses. */
export interface ExecThread {
  readonly id?: string;
  /** Its session file; absent while there is none. */
  readonly path?: string;
  readonly continued: Continued;
}

/**
 * Finds the thread for the branch: the one of its last turn if both end there, else a session that Loom writes, since not every version can fork.
 */
export async function threadForExec(home: string, request: ProviderRequest, call: ProviderCall): Promise<ExecThread> {
  const mark = lastMark(request);
  const path = mark === undefined ? undefined : await findSessionFile(home, mark.thread);
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
  if (mark !== undefined && path !== undefined && lastTurnIn(text) === mark.turn)
    return { id: mark.thread, path, continued: 'resumed' };
  if (!request.messages.some(({ role }) => role !== 'user')) return { id: randomUUID(), continued: 'new' };
  const written = await call.session('codex', request.directory === undefined ? {} : { directory: request.directory });
  const session = written.ok ? await writeSession(home, written.session) : undefined;
  return session === undefined ? { continued: 'text' } : { ...session, continued: 'session' };
}

/** Returns the thread to try where Codex cannot read the session that Loom wrote; `undefined` for a session that Codex itself wrote. */
export function threadWithoutSession({ id, continued }: ExecThread): ExecThread | undefined {
  if (continued === 'new') return id === undefined ? undefined : { continued };
  return continued === 'session' ? { continued: 'text' } : undefined;
}

/** Returns the arguments of Codex. The prompt comes as its input; the settings stand where all versions take them. */
export function execWords({ id, continued }: ExecThread, request: ProviderRequest): string[] {
  const { model, settings, systemPrompt, approvalMode } = request;
  const effort = settings['reasoning'] ?? settings['effort'];
  const set = (name: string, value: string): string[] => ['-c', `${name}=${JSON.stringify(value)}`];
  return [
    'exec',
    '--json',
    '--skip-git-repo-check',
    ...set('approval_policy', 'never'),
    ...set('sandbox_mode', changesFiles(approvalMode) ? 'workspace-write' : 'read-only'),
    ...(typeof effort === 'string' ? set('model_reasoning_effort', effort) : []),
    ...(continued === 'new' && systemPrompt !== undefined && systemPrompt !== ''
      ? set('developer_instructions', systemPrompt)
      : []),
    ...(model === 'default' ? [] : ['-m', model]),
    ...(id === undefined ? [] : ['resume', id]),
    '-',
  ];
}

/** Returns the prompt: the messages that wait, behind the branch if Codex has to be told that as text. Pictures are named. */
export async function execPrompt(
  { continued }: ExecThread,
  { messages }: ProviderRequest,
  blobs: ProviderCall['blobs'],
): Promise<string> {
  const input = await inputOf(waitingBlocks(messages), blobs);
  const said = input.map(({ text }) => (typeof text === 'string' ? text : '(a picture that cannot be sent)'));
  return [...(continued === 'text' ? [branchAsText(messages)] : []), ...said].join('\n\n');
}

/** Nothing can be asked: a mode in which a person wants to be asked before changes allows none. */
function changesFiles(mode: ProviderRequest['approvalMode']): boolean {
  return mode === 'edit' || mode === 'sandbox';
}

/** The modes without an app-server. */
export const execModes: NonNullable<ProviderOffer['modes']> = [
  { name: 'plan', about: 'reads, and changes nothing' },
  { name: 'ask', about: 'reads, and changes nothing, since this Codex cannot ask' },
  { name: 'edit', about: 'changes files in the folder, and never leaves the sandbox' },
  { name: 'sandbox', about: 'works in the sandbox without asking' },
];

/** The losses without an app-server. */
export const execRemark =
  'This Codex has no app-server that Loom can use, so it runs through codex exec: it cannot ask for approval (the mode ask only reads), ' +
  'take messages while it works, or be sent pictures, and its words come in whole messages. Update it: npm install -g @openai/codex';
