/** The name of the highlight in the style sheet. */
const highlightName = 'found';

/** The number of frames in which a match must be drawn and stop moving; then it is left in its place. */
const patience = 90;

/**
 * Highlights words in the drawn text, without touching it, and brings the first of them into sight once everything around has stopped
 * moving, also inside an output that scrolls separately. Returns a function that removes the highlights.
 */
export function showMatch(within: HTMLElement, words: string): () => void {
  let ranges: Range[] = [];
  const mark = (): void => {
    ranges = findRanges(within, words);
    // Older browsers have none; the row is marked all the same.
    if (!('highlights' in CSS)) return;
    if (ranges.length === 0) CSS.highlights.delete(highlightName);
    else CSS.highlights.set(highlightName, new Highlight(...ranges));
  };
  mark();
  // Colors of code, and parts loaded later, replace the texts.
  const observer = new MutationObserver(mark);
  observer.observe(within, { subtree: true, childList: true, characterData: true });
  const stopLeading = leadTo(() => ranges[0]);
  return () => {
    observer.disconnect();
    stopLeading();
    if ('highlights' in CSS) CSS.highlights.delete(highlightName);
  };
}

/** Finds every occurrence of the words in the texts of an element; a match that spans several texts does not count. */
function findRanges(within: HTMLElement, words: string): Range[] {
  const wanted = words.toLowerCase();
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? '';
    // Some letters have another length in lower case: then places would be wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (
      let at = text.indexOf(wanted);
      at >= 0 && ranges.length < 1000;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Brings a match into sight as soon as it has stood in one place for some frames. A reader who scrolls meanwhile is left alone. */
function leadTo(match: () => Range | undefined): () => void {
  let isOver = false;
  let before = NaN;
  let still = 0;
  let frames = 0;
  const stop = (): void => {
    isOver = true;
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) removeEventListener(type, stop, true);
  };
  const look = (): void => {
    frames += 1;
    if (isOver || frames > patience) return stop();
    const top = match()?.getBoundingClientRect().top;
    still = top !== undefined && top === before ? still + 1 : 0;
    before = top ?? NaN;
    if (still < 3) return void requestAnimationFrame(look);
    const range = match();
    if (range !== undefined) scrollTo(range);
    return stop();
  };
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(type, stop, { capture: true });
  requestAnimationFrame(look);
  return stop;
}

/** Scrolls everything around a match, from the inside out, until it is seen. */
function scrollTo(range: Range): void {
  const scrollers: HTMLElement[] = [];
  for (let element = range.startContainer.parentElement; element !== null; element = element.parentElement) {
    if (element.classList.contains('scroll')) scrollers.push(element);
    if (element.getAttribute('role') === 'feed') break;
  }
  for (const scroller of scrollers) {
    const box = scroller.getBoundingClientRect();
    const { top, bottom, left, right } = range.getBoundingClientRect();
    if (top < box.top || bottom > box.bottom) scroller.scrollTop += top - box.top - box.height / 3;
    if (left < box.left || right > box.right) scroller.scrollLeft += left - box.left - box.width / 3;
  }
}
