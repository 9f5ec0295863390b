import { Store } from '../stores/store.ts';
import type { ChangedFile } from './change-set.ts';
import { isAt, rangeOf } from './comments.ts';
import type { LinePlace, ReviewComment } from './comments.ts';
import type { Viewed } from './viewed.ts';

/** The state of a review: the comments that wait to be sent, the one being written, and the files that were looked at. */
export class Review {
  readonly comments: Store<readonly ReviewComment[]>;
  readonly viewed: Viewed;
  /** The line that a comment is being written about. */
  readonly writing = new Store<LinePlace | undefined>(undefined);
  /** The text of that comment so far: its field moves if more lines are chosen. */
  begun = '';

  constructor(comments: Store<readonly ReviewComment[]>, viewed: Viewed) {
    this.comments = comments;
    this.viewed = viewed;
  }

  /** Begins a comment about a line, or about all lines from the one that is being commented on. */
  write(place: LinePlace, { isRange }: { isRange: boolean }): void {
    const wider = isRange ? rangeOf(place, this.writing.getSnapshot()) : place;
    if (!isRange) this.begun = '';
    this.writing.set(wider);
  }

  /** Adds a comment; one about the same line is replaced. */
  add(comment: ReviewComment): void {
    this.comments.update((all) => [...all.filter((one) => !isAt(one, comment)), comment]);
    this.writing.set(undefined);
  }

  remove(place: LinePlace): void {
    this.comments.update((all) => all.filter((one) => !isAt(one, place)));
  }

  /** Moves the focus to the next or previous element of a kind, counted from the one that has it. */
  walk(place: HTMLElement, selector: string, step: 1 | -1): boolean {
    const all = [...place.querySelectorAll<HTMLElement>(selector)];
    const { activeElement } = document;
    const after = all.findIndex((one) => isAfter(activeElement, one));
    const at = all.findIndex((one) => one === activeElement);
    const present = at >= 0 ? at : after < 0 ? all.length : step === 1 ? after - 1 : after;
    const next = all[activeElement === null || !place.contains(activeElement) ? 0 : present + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
    return all.length > 0;
  }

  /** Begins a comment about the line that has the focus, else about the first changed line of the file. */
  comment(place: HTMLElement): boolean {
    return press(place, '.review-comment-button');
  }

  /** Asks who wrote such a line. A deleted one is no longer in the file. */
  tellWriter(place: HTMLElement): boolean {
    return press(place, '.diff-number-button');
  }

  /** The file around the focus, else the first. */
  currentFile(place: HTMLElement, files: readonly ChangedFile[]): ChangedFile | undefined {
    const { activeElement } = document;
    const around =
      activeElement !== null && place.contains(activeElement) ? activeElement.closest('.review-file') : null;
    const path = around?.getAttribute('data-path') ?? files[0]?.path;
    return files.find((file) => file.path === path);
  }
}

/** Presses a button of the line that has the focus, else of the first changed line of the file that has one. */
function press(place: HTMLElement, button: string): boolean {
  const { activeElement } = document;
  const line = activeElement?.closest('.review-line');
  const file = activeElement?.closest('.review-file') ?? place.querySelector('.review-file');
  const changed = [...(file?.querySelectorAll('.review-line:is(.diff-add, .diff-delete)') ?? [])];
  const found = [line, ...changed].map((one) => one?.querySelector<HTMLElement>(button)).find(Boolean);
  found?.click();
  return found !== undefined && found !== null;
}

function isAfter(element: Element | null, other: Element): boolean {
  return element !== null && (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
