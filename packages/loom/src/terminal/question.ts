import { createInterface } from 'node:readline/promises';
import { InterruptedError } from '../command-line/failure.ts';

/** Asks a person for one line; throws an InterruptedError when Ctrl-C or Ctrl-D comes instead of an answer. */
export async function askLine(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const keyboard = createInterface({ input, output, terminal: true });
  try {
    return await keyboard.question(question);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    output.write('\n');
    throw new InterruptedError();
  } finally {
    keyboard.close();
  }
}
