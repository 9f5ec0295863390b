/** An agent's place in a text, in UTF-16 offsets of a version of it. Sent to the current subscribers, and never kept. */
export interface TextCursor {
  agent: string;
  block: string;
  version: number;
  anchor: number;
  head: number;
}

/** The position of a subscriber. An epoch that the log no longer has means starting over from a snapshot. */
export interface Cursor {
  epoch: string;
  seq: number;
}
