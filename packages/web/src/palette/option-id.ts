/** The id of an option in the document. */
export function optionId(listId: string, key: string): string {
  return `${listId}-${key.replaceAll(/[^\w-]/gu, '_')}`;
}
