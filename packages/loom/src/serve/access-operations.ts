import { tokenOperations } from '@loom/server/access';
import type { OpenTokens } from './token-file.ts';

/** The operations about the tokens and links of a data folder, with the writer of files. */
export function accessOperations(tokens: OpenTokens): ReturnType<typeof tokenOperations> {
  return tokenOperations(tokens, async (source) => {
    // Loaded when something is written: commands that make no file start without it.
    const { htmlExport } = await import('@loom/exchange/exporting');
    return htmlExport(source);
  });
}
