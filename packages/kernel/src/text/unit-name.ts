/** The name of an undo unit that one change is all of. */
export function unitOfChange(seq: number): string {
  return `edit-${seq}`;
}
