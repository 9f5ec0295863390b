import type { ResultOf } from '@loom/kernel';
import { shorten } from '../../chat/drawing/cards.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';

type Turn = ResultOf<'file.blame'>['turns'][number];
type Commit = ResultOf<'file.blame'>['commits'][number];

/** Words a turn for a line of output: what was asked, where, by whom it was answered, and when. */
export function turnWords({ words, opening, root_title: title, number, model, source, time }: Turn): string {
  const place = number === undefined ? [] : [`turn ${number}`];
  const who = model ?? source;
  const facts = [
    ...place,
    shorten(title ?? opening, 40),
    ...(who === undefined ? [] : [who]),
    timeAgo(Date.parse(time)),
  ];
  return `${shorten(words === '' ? opening : words, 60)}  ${facts.join(' · ')}`;
}

export function commitWords({ sha, author, time, summary }: Commit): string {
  return `${sha.slice(0, 7)} ${shorten(summary, 50)} (${author}, ${timeAgo(Date.parse(time))})`;
}
