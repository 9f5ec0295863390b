import { z } from 'zod';
import { cleanString } from '@loom/blocks';
import { once } from '../once.ts';

/** The places that prompts come from, the one that wins first: what is one's own, the project's, and files that other programs know. */
export const promptSources = ['own', 'project', 'folder', 'claude', 'codex'] as const;
export type PromptSource = (typeof promptSources)[number];

/** A name that can stand behind a slash; a colon separates the folders of a file. */
export const promptName = z
  .string()
  .max(80)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u, 'must be letters, digits, dots, colons, dashes or underscores');

/** The longest text of a prompt, in characters: it has to fit into a home. */
export const longestPrompt = 32_768;

const line = cleanString.min(1).max(500);

/** The text of a prompt and what is said about it. */
export const promptContent = once(() =>
  z.strictObject({
    text: cleanString
      .min(1)
      .max(longestPrompt)
      .describe('What it says. $ARGUMENTS, $1 to $9 and names such as $FILE are filled in when it is used.'),
    description: line.exactOptional().describe('A line for lists. Default: the first line of the text.'),
    argument_hint: line.exactOptional().describe('The arguments it takes, such as [file] or FILE=path.'),
    model: line.exactOptional().describe('The model it is meant for, as <provider>/<model>.'),
  }),
);
export type PromptContent = z.infer<ReturnType<typeof promptContent>>;

/** A prompt that a file of another program holds. */
export interface PromptFile extends PromptContent {
  name: string;
  source: Extract<PromptSource, 'folder' | 'claude' | 'codex'>;
  path: string;
  /** The tools that the file wants to allow. They are shown and never granted. */
  allowed_tools?: string;
}

/** A file that was not read, and why. */
export interface SkippedFile {
  path: string;
  reason: 'link' | 'too-large' | 'not-text' | 'empty' | 'bad-name' | 'too-many' | 'unreadable';
}

/** The port that reads the prompts of other programs, those in a folder too if one is given. */
export interface PromptPort {
  files(directory?: string): Promise<{ prompts: PromptFile[]; skipped: SkippedFile[] }>;
}

/** The first line of a text that says something, for lists. */
export function firstLine(text: string): string {
  const found = text
    .split('\n')
    .map((each) => each.replace(/^#+\s+/u, '').trim())
    .find((each) => each !== '');
  return (found ?? '').slice(0, 200).toWellFormed();
}
