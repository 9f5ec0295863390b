import { InterruptedError } from '../command-line/failure.ts';
import type { KeySource } from './keyboard.ts';
import { LineEditor, type EditorOutput } from './line-editor.ts';

/** Asks a person for one line; throws an InterruptedError when Ctrl-C or Ctrl-D comes instead of an answer. */
export async function askLine(
  question: string,
  input: KeySource,
  output: EditorOutput,
  { isPlain = false }: { isPlain?: boolean } = {},
): Promise<string> {
  const answer = Promise.withResolvers<string>();
  const interrupt = (): void => answer.reject(new InterruptedError());
  const editor = new LineEditor(input, output, {
    isPlain,
    onLine: answer.resolve,
    onEnd: interrupt,
    onInterrupt: interrupt,
  });
  editor.prompt(question, true);
  try {
    return await answer.promise;
  } finally {
    editor.close();
  }
}
