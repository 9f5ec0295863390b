/** The reason for a note about a conversion. */
export type NoteReason =
  /** A foreign part, message or row that no block type fits was kept whole as `raw`. */
  | 'kept-raw'
  /** Several system messages at the top became one prompt. */
  | 'system-joined'
  /** A block that is not for models was not sent. */
  | 'not-shown'
  /** A message in which a model would see nothing was not sent. */
  | 'nothing-visible'
  /** Thinking was not sent because the caller said so. */
  | 'thinking-omitted'
  /** A call without a result was answered with `interruptedText`. */
  | 'call-interrupted'
  /** A call that the provider itself runs has no result; it was sent without one. */
  | 'provider-call-unanswered'
  /** A result without a call was not sent. */
  | 'result-orphaned'
  /** A result stood behind other messages and was sent right after its call. */
  | 'result-moved'
  /** Arguments that are not a JSON object were sent as `{}`. */
  | 'arguments-malformed'
  /** An approval was not sent: Loom never lets a history approve a call. */
  | 'approval-left-out'
  /** A blob or URL could not be resolved; a placeholder text stands for it. */
  | 'file-unavailable'
  /** A failed result can hold only text; a placeholder text stands for its file. */
  | 'file-in-error'
  /** Provider data that is not a JSON object, or that claims Loom's own key, was left out. */
  | 'provider-data-left-out'
  /** A row's `iterations` were not read because its `parts` say the same in more detail. */
  | 'iterations-superseded';

/** One part that a conversion left out, moved, made up or could not read. */
export interface ExchangeNote {
  reason: NoteReason;
  /** The place in the input, such as `messages[2].content[0]`. */
  path: string;
  /** One sentence for people. */
  message: string;
}

export type TakeNote = (note: ExchangeNote) => void;
