/** Returns the title of a tab: the number of waiting calls, then the place. */
export function pageTitle(waiting: number, name: string | undefined): string {
  const place = name === undefined ? 'Loom' : `${name} · Loom`;
  return waiting === 0 ? place : `(${waiting}) ${place}`;
}
