/** The longest wait for the first paint, in milliseconds: a page in the background is not painted. */
const longestWait = 2000;

/** Resolves once the page was painted for the first time. */
export const firstPaint: Promise<void> = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) resolve();
  }).observe({ type: 'paint', buffered: true });
  setTimeout(resolve, longestWait);
});
