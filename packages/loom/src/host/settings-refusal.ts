import { refuse } from '@loom/kernel';
import type { Outcome, Refused } from '@loom/kernel';
import { LoomError } from '../command-line/failure.ts';

/** Runs what reads or writes settings. Settings that cannot be read or written are a refusal, which names files by their names alone. */
export async function withSettings<T>(dataDir: string, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    const [problem = ''] = error.message.replaceAll(`${dataDir}/`, '').split('\n');
    return refuse({ reason: 'settings-failed', problem });
  }
}

/** Refuses one of the parameters; `problem` is the end of a sentence about it. */
export function refuseParameter(name: 'key' | 'value', problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path: [name], problem }] });
}
