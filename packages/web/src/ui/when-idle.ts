/** After so many milliseconds the page is taken to be idle, whatever it does; also where browsers do not tell. */
const longestWait = 2000;

/** Answers when the page has nothing to do: nothing is drawn, typed or received. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: longestWait });
    else setTimeout(resolve, longestWait);
  });
}
