import { firstPaint } from './first-paint.ts';

/** After so many milliseconds the page is taken to be idle, whatever it does; also where browsers do not tell. */
const longestWait = 2000;

/** Resolves when the page is idle: nothing is drawn, typed or received. */
export async function whenIdle(): Promise<void> {
  await firstPaint;
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: longestWait });
    else setTimeout(resolve, longestWait);
  });
}
