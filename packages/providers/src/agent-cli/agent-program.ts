import type { Clock, ProcessPort, SpawnRefusal } from '@loom/kernel';
import { LineChannel } from './line-channel.ts';

/** An agent's program as this machine has it, and how it is started. */
export interface AgentProgram {
  /** The program and the arguments that come before all others. */
  command: readonly string[];
  /** All of its environment. */
  environment: Readonly<Record<string, string>>;
  processes: Pick<ProcessPort, 'spawn'>;
  clock: Clock;
}

/** The output of a program that ran to its end. */
export type BriefRun =
  | { ok: true; code: number | undefined; stdout: string; stderr: string }
  | { ok: false; refusal: SpawnRefusal };

/** The most output of a brief run that is kept, in bytes. */
const mostOutput = 1024 * 1024;

/** Runs a program to its end, such as for its version. One that takes longer than `time` milliseconds is stopped. */
export async function runBriefly(
  { command, environment, processes }: AgentProgram,
  words: readonly string[],
  { directory, time }: { directory: string; time: number },
): Promise<BriefRun> {
  const limits = { time, output: mostOutput };
  const outcome = await processes.spawn({ command: [...command, ...words], directory, environment, limits });
  if (!outcome.ok) return outcome;
  const text = { stdout: '', stderr: '' };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, bytes } of outcome.process.output) {
    text[stream] += decoders[stream].decode(bytes, { stream: true });
  }
  const { code } = await outcome.process.ended;
  return { ok: true, code, ...text };
}

/** Starts a program that is talked to in lines. */
export async function openChannel(
  { command, environment, processes }: AgentProgram,
  words: readonly string[],
  directory: string,
): Promise<{ ok: true; channel: LineChannel } | { ok: false; refusal: SpawnRefusal }> {
  const order = { command: [...command, ...words], directory, environment, takesInput: true };
  const outcome = await processes.spawn(order);
  return outcome.ok ? { ok: true, channel: new LineChannel(outcome.process) } : outcome;
}
