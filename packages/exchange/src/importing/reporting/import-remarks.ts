import type { Importer } from '../importer.ts';

type Taken = Pick<Importer, 'deleted' | 'hidden' | 'shownAgain' | 'others' | 'withheld'>;

/** A remark for people about the imported content of a file. */
export interface ImportRemark {
  /** Its subject: further remarks on the same subject need not be shown. */
  readonly about: string;
  readonly text: string;
}

/** Yields the remarks for people about the imported content of a file, apart from those about its lines. */
export function* remarksOf(
  { deleted, hidden, shownAgain, others, withheld }: Taken,
  path: string,
): Generator<ImportRemark> {
  if (deleted.size > 0)
    yield {
      about: `deleted ${path}`,
      text: `${path}: deleted in Loom, and left alone; restore the conversation to import it again`,
    };
  for (const [node, count] of hidden) {
    const words = count === 1 ? '1 new message is' : `${count} new messages are`;
    const text = `${path}: ${words} hidden below ${node}, which was deleted in Loom; restore it to see what is new`;
    yield { about: `hidden ${node}`, text };
  }
  for (const node of shownAgain)
    yield {
      about: `shown again ${node}`,
      text: `${path}: ${node}, which was merged into another message, is shown again: something new is below it`,
    };
  if (withheld.size > 0) {
    const lines = withheld.size === 1 ? '1 line differs' : `${withheld.size} lines differ`;
    yield {
      about: `withheld ${path}`,
      text: `${path}: ${lines} from what is there, which looks as if an older version of Loom had purged it; left alone`,
    };
  }
  const [first] = others;
  if (first === undefined) return;
  const [line, { node, files }] = first;
  const known = files.filter((file) => file !== path);
  const from = known.length === 0 ? '' : known.length === 1 ? ` of ${known[0]}` : ` of one of ${known.length} files`;
  const words = others.size === 1 ? 'a line says' : `${others.size} lines say`;
  const place = `${line} at ${node}${others.size === 1 ? '' : ', and others'}`;
  yield {
    about: `others ${path}`,
    text: `${path}: ${words} something else than what was imported${from} under the same name (${place}); kept beside it as raw, which models are not shown`,
  };
}
