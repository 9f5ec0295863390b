import type { LogContents } from '@loom/kernel/store';

/** An append that a writer was told has happened. */
export interface AcknowledgedText {
  log: string;
  seq: number;
  text: string;
}

/** Returns what is wrong with a log, given all that was acknowledged: something lost, doubled, moved or missing in between. */
export function judgeOrder(
  log: string,
  contents: LogContents | undefined,
  acknowledged: readonly AcknowledgedText[],
): string[] {
  const records = contents?.records ?? [];
  const found = new Map(records.map(({ seq, text }) => [seq, text]));
  const complaints = records.flatMap(({ seq }, index) =>
    seq === index + 1 ? [] : [`${log} has ${seq} at ${index + 1}`],
  );
  const texts = new Set<string>();
  for (const { text } of records) {
    if (texts.has(text)) complaints.push(`${log} has ${text} twice`);
    texts.add(text);
  }
  const given = new Set<number>();
  for (const { seq, text } of acknowledged.filter((one) => one.log === log)) {
    if (given.has(seq)) complaints.push(`${seq} of ${log} was given to two`);
    given.add(seq);
    if (found.get(seq) !== text) complaints.push(`${log} has lost ${text} at ${seq}`);
  }
  return complaints;
}

/** Returns what is wrong with what a subscriber has seen of a log: it must be the log, in its order, with nothing left out. */
export function judgeSubscriber(seen: readonly string[], contents: LogContents | undefined): string[] {
  const texts = (contents?.records ?? []).map(({ text }) => text);
  return JSON.stringify(seen) === JSON.stringify(texts) ? [] : [`a subscriber saw ${seen.length} of ${texts.length}`];
}
