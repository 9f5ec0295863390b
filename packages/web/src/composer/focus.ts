/** Puts the caret at the end of the field, once what it shows has been drawn. */
export function focusComposer(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById('composer');
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  });
}

/** Goes from the field to what was said. */
export function focusTimeline(): void {
  const timeline = document.querySelector('.timeline');
  if (timeline instanceof HTMLElement) timeline.focus();
}
