/** What a tab is called: how much waits, then where it is. */
export function pageTitle(waiting: number, name: string | undefined): string {
  const place = name === undefined ? 'Loom' : `${name} · Loom`;
  return waiting === 0 ? place : `(${waiting}) ${place}`;
}
