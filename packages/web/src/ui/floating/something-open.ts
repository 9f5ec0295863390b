/** Returns true while a box floats above the page: Esc closes it, and does nothing else. */
export function isSomethingOpen(): boolean {
  return document.querySelector(':popover-open') !== null;
}
