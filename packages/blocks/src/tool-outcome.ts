import type { TextBlock } from './content-block.ts';
import type { ToolMessage } from './message.ts';

/** The text that a model reads about a call whose result never came. */
export const interruptedText = 'The tool call was interrupted before it returned a result.';

/**
 * The text that a model reads about a call that a person refused without giving a reason. The AI SDK uses the same words.
 */
export const deniedText = 'Tool call execution denied.';

/**
 * The one block of a denied result: `is_error` on its message, status `error` with code `denied` on itself. The reason is
 * its text, because the text is what the model saw.
 */
export function deniedBlock(reason: string | undefined): TextBlock {
  return {
    type: 'text',
    text: reason ?? deniedText,
    status: 'error',
    error: { code: 'denied', message: deniedText },
  };
}

/** Returns true if a result says that a person refused the call. */
export function isDenied(message: ToolMessage): boolean {
  return message.is_error === true && message.content.some((block) => block.error?.code === 'denied');
}

/** Returns the reason that a call was denied, if it is not the fixed text. */
export function denialReason(message: ToolMessage): string | undefined {
  const text = textOf(message);
  return text === deniedText ? undefined : text;
}

/** The text of a result as one string. */
function textOf(message: ToolMessage): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
