import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Talk } from '../terminal/terminal.ts';
import { ForestFolder } from './forest-folder.ts';

/**
 * The next action of a person at a keyboard: waits until something was shown, and something else has happened, then types a line or presses
 * Ctrl-C.
 */
export type Deed = { after: RegExp; once?: Promise<unknown>; done?: () => void } & (
  | { type: string }
  | { press: 'Ctrl-C' | 'Ctrl-D' }
);

/** Runs a chat with a person who types. Each action waits for output since the one before. */
export async function chatWith(
  context: TestContext,
  deeds: readonly Deed[],
  args: readonly string[] = [],
  folder = new ForestFolder(context),
) {
  const [isScreen, env] = [true, { NO_COLOR: '1' }];
  const interrupts = new Set<() => void>();
  const left = [...deeds];
  const happened = new Set<Promise<unknown>>();
  let [shown, fresh] = ['', ''];
  let deliver: ((line: string | undefined) => void) | undefined;
  const act = (): void => {
    const [deed] = left;
    if (
      deed === undefined ||
      !deed.after.test(fresh) ||
      (deed.once !== undefined && !happened.has(deed.once)) ||
      (!('press' in deed && deed.press === 'Ctrl-C') && deliver === undefined)
    )
      return;
    left.shift();
    fresh = '';
    if ('press' in deed && deed.press === 'Ctrl-C') for (const press of interrupts) press();
    else {
      const hear = deliver;
      deliver = undefined;
      hear?.('type' in deed ? deed.type : undefined);
    }
    deed.done?.();
  };
  for (const { once } of deeds) void once?.then(() => happened.add(once)).then(act);
  const show = (text: string): void => {
    shown += text;
    fresh += text;
    queueMicrotask(act);
  };
  const talk: Talk = {
    isKeyboard: true,
    next: () =>
      new Promise((resolve) => {
        deliver = resolve;
        queueMicrotask(act);
      }),
    prompt: show,
    withdraw: () => undefined,
    refill: (text) => {
      show(`<${text}>`);
      return true;
    },
    write: show,
    close: () => undefined,
  };
  const { code, out } = await folder.run(['chat', ...args], { talk, interrupts, keyboard: '', isScreen, env });
  assert.deepEqual(left, [], `never came to that; shown was:\n${shown}`);
  return { code, shown, out, folder };
}

/** Leaves once it is asked for the next message. */
export const leave: Deed = { after: /> $/, press: 'Ctrl-D' };
