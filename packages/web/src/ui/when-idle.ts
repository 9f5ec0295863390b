import { firstPaint } from './first-paint.ts';

/** The time after which the page counts as idle, in milliseconds, whatever it does; also for browsers without idle callbacks. */
const longestWait = 2000;

/** Resolves when the page is idle: nothing is drawn, typed or received. */
export async function whenIdle(): Promise<void> {
  await firstPaint;
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: longestWait });
    else setTimeout(resolve, longestWait);
  });
}
