/** The reason an export was refused as a whole: nothing of it was imported. */
export type ChatExportProblem =
  | 'broken'
  | 'cut-off'
  | 'too-deep'
  | 'too-large'
  | 'zip-broken'
  | 'zip-bomb'
  | 'zip-encrypted'
  | 'unknown';

/** An export that cannot be read, or must not be. Thrown before the first conversation is yielded. */
export class ChatExportError extends Error {
  readonly code: `chat-export-${ChatExportProblem}`;

  constructor(problem: ChatExportProblem, message: string) {
    super(message);
    this.name = 'ChatExportError';
    this.code = `chat-export-${problem}`;
  }
}
