/** True if the field is to have the focus as soon as it is drawn. */
let isWanted = false;

/** Gives the field the focus, and puts the caret at its end once its text has been drawn. A selection made there meanwhile stays. */
export function focusComposer(): void {
  isWanted = true;
  findComposer()?.focus();
  requestAnimationFrame(() => {
    isWanted = false;
    const field = findComposer();
    if (field === undefined) return;
    field.focus();
    if (field.selectionStart === field.selectionEnd) field.setSelectionRange(field.value.length, field.value.length);
  });
}

/** Gives the field the focus where the reader did not ask for it: an on-screen keyboard would cover the text to be read. */
export function offerComposer(): void {
  if (!matchMedia('(pointer: coarse)').matches) focusComposer();
}

/** Gives a field that was just drawn the focus, if it is wanted there or nothing else has it: no letter is lost between two pages. */
export function focusNewField(field: HTMLTextAreaElement | null): void {
  const hasNone = document.activeElement === null || document.activeElement === document.body;
  if (isWanted || (hasNone && !matchMedia('(pointer: coarse)').matches)) field?.focus();
}

/** Moves the focus to the field at once, so that the text being typed or pasted arrives there. Returns true if there is a field. */
export function typeIntoComposer(): boolean {
  const field = findComposer();
  field?.focus();
  return field !== undefined;
}

/** Moves the focus from the field to the messages. */
export function focusTimeline(): void {
  const timeline = document.querySelector('.timeline');
  if (timeline instanceof HTMLElement) timeline.focus({ preventScroll: true });
}

/** Returns true if the timeline, or one of its rows, has the focus. */
export function isTimelineFocused(): boolean {
  const { activeElement: element } = document;
  return element !== null && element.closest('.timeline') !== null;
}

function findComposer(): HTMLTextAreaElement | undefined {
  const field = document.getElementById('composer');
  return field instanceof HTMLTextAreaElement ? field : undefined;
}
