import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessPort, RunningProcess } from '@loom/kernel';
import { placeOfProgram, searchPathOutside } from '../folder/program-path.ts';
import { commandEnvironment } from '../sandbox/environment.ts';
import { plantedFiles, removePlanted } from '../sandbox/git-folders.ts';
import { tameRepository } from '../sandbox/new-repository.ts';
import type { ShellParameters } from './shell-parameters.ts';
import type { ShellPorts } from './shell-ports.ts';

/** A command to start, and where. */
export interface ShellOrder {
  readonly directory: string;
  readonly parameters: ShellParameters;
  /** True if it may change nothing: in mode plan. */
  readonly isReadOnly: boolean;
  /** True if it must not run outside of a sandbox. */
  readonly needsSandbox: boolean;
  readonly signal?: AbortSignal;
}

export type Spawned =
  | {
      ok: true;
      process: RunningProcess;
      /** The files that were removed after the end of the command, because git would have read a program's settings through them. */
      removed: Promise<readonly string[]>;
    }
  | { ok: false; message: string };

/** Starts bash with a command line, confined where that is possible. */
export async function spawnShell(
  { sandbox, environment }: Pick<ShellPorts, 'sandbox' | 'environment'>,
  processes: Pick<ProcessPort, 'spawn'> | undefined,
  order: ShellOrder,
): Promise<Spawned> {
  const { directory, parameters, isReadOnly, needsSandbox, signal } = order;
  if (processes === undefined) return { ok: false, message: 'this Loom runs no programs.' };
  const box = await sandbox();
  const { available: isSandboxed, reason = '' } = await box.state();
  if (needsSandbox && !isSandboxed) return { ok: false, message: `there is no sandbox. ${reason}` };
  const path = searchPathOutside(environment['PATH'] ?? '/usr/bin:/bin', directory);
  const bash = [placeOfProgram('bash', path), '-c', parameters.command];
  const { network: hasNetwork = false } = parameters;
  const command = isSandboxed
    ? orNothing(() => box.confine({ directory, command: bash, hasNetwork, isReadOnly }))
    : bash;
  if (command === undefined) return { ok: false, message: `the folder ${directory} cannot be used.` };
  const planted = isSandboxed ? plantedFiles(directory) : [];
  const repository = join(directory, '.git');
  const isNew = isSandboxed && lstatSync(repository, { throwIfNoEntry: false }) === undefined;
  const spawned = await processes.spawn({
    command,
    directory,
    environment: commandEnvironment(environment, isSandboxed),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!spawned.ok) return { ok: false, message: spawned.refusal.message };
  const { process } = spawned;
  const removed = isSandboxed
    ? process.ended.then(() => [
        ...(orNothing(() => removePlanted(directory, planted)) ?? []),
        ...(isNew ? (orNothing(() => tameRepository(repository)) ?? []) : []),
      ])
    : Promise.resolve([]);
  return { ok: true, process, removed };
}

function orNothing<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Passes on the output of a process as text; characters are never cut. */
export async function pour(
  { output }: RunningProcess,
  pass: (stream: 'stdout' | 'stderr', text: string) => Promise<void>,
): Promise<void> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, bytes } of output) {
    const text = decoders[stream].decode(bytes, { stream: true });
    if (text !== '') await pass(stream, text);
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const rest = decoders[stream].decode();
    if (rest !== '') await pass(stream, rest);
  }
}
