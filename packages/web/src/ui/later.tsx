import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react';
import type { ComponentType, ReactElement } from 'react';
import { firstPaint } from './first-paint.ts';
import { LatePart } from './late-part.ts';
import { loadPart } from './lazily.ts';
import type { NotLoadedError } from './lazily.ts';
import { whenBack } from './when-back.ts';

interface LaterOptions {
  /** True if it is loaded before it is shown, when the page has nothing to do. */
  isExpected?: boolean;
  /** True if keys typed while it is on its way are meant for it, and for nothing else. */
  takesKeys?: boolean;
  /** True if it is the reader's target: where nothing else is drawn, there is no paint before it. */
  isPlace?: boolean;
}

/** The parts that are expected. */
const parts: { load(options: { isAhead: boolean }): Promise<boolean> }[] = [];

/** The number of parts that take the keys, are to be shown and are not there yet. */
let awaited = 0;

export function isPartAwaited(): boolean {
  return awaited > 0;
}

/** The text typed for a part that is on its way. */
let kept = '';

function keepKey(event: KeyboardEvent): void {
  const { key, ctrlKey, altKey, metaKey, isComposing } = event;
  if (ctrlKey || altKey || metaKey || isComposing || !/^.$/su.test(key)) return;
  event.preventDefault();
  kept += key;
}

function handOverKeys(): void {
  const isField = document.activeElement instanceof HTMLInputElement;
  // As if it were typed now: the field hears of it.
  if (isField && kept !== '') document.execCommand('insertText', false, kept);
  kept = '';
}

/**
 * Makes a part of the page that is loaded when it is first shown or, if that is expected, once the page has nothing else to do. If it is
 * there already, it is drawn at once. A part that cannot be loaded says so in its own place until the server is back, and the page goes on.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isExpected = true, takesKeys = false, isPlace = false }: LaterOptions = {},
): ComponentType<Props> {
  // The part painted first needs none of the others.
  const part = new LatePart((isAhead) =>
    (isPlace ? Promise.resolve() : firstPaint).then(() => loadPart(load, isExpected && !isAhead)),
  );
  if (isExpected) parts.push(part);
  return function Later(props: Props): ReactElement | null {
    const { Shown, failure } = useSyncExternalStore(part.state.subscribe, part.state.getSnapshot);
    const isAwaited = Shown === undefined && failure === undefined;
    useLayoutEffect(() => {
      if (!isAwaited) return undefined;
      void part.load();
      if (!takesKeys) return undefined;
      awaited += 1;
      addEventListener('keydown', keepKey);
      return () => {
        awaited -= 1;
        removeEventListener('keydown', keepKey);
      };
    }, [isAwaited]);
    // By now the field that the part begins with has the focus.
    useEffect(() => {
      if (takesKeys && !isAwaited) handOverKeys();
    }, [isAwaited]);
    if (Shown !== undefined) return <Shown {...props} />;
    return failure === undefined ? null : <NotLoaded failure={failure} onRetry={part.tryAgain} />;
  };
}

/**
 * Makes a value that parts of the page use and that draws nothing, loaded once the page was painted. `use` is for components and returns
 * `undefined` until it is there; `whenLoaded` calls back once, at once if it is there already.
 */
export function laterValue<Value>(
  load: () => Promise<Value>,
  { isExpected = true }: { isExpected?: boolean } = {},
): {
  use: () => Value | undefined;
  whenLoaded: (then: (value: Value) => void) => void;
} {
  const part = new LatePart((isAhead) => firstPaint.then(() => loadPart(load, isExpected && !isAhead)));
  if (isExpected) parts.push(part);
  return {
    use() {
      const { Shown, failure } = useSyncExternalStore(part.state.subscribe, part.state.getSnapshot);
      const isAwaited = Shown === undefined && failure === undefined;
      useEffect(() => {
        if (isAwaited) void part.load();
      }, [isAwaited]);
      return Shown;
    },
    whenLoaded(then) {
      const { Shown } = part.state.getSnapshot();
      if (Shown !== undefined) return then(Shown);
      void (async () => {
        await part.load();
        const { Shown: loaded } = part.state.getSnapshot();
        if (loaded !== undefined) then(loaded);
      })();
      return undefined;
    },
  };
}

/**
 * Loads the expected parts that were not shown so far, one after the other, whenever there is nothing else to do: later they are there at
 * once.
 */
export async function loadTheRest(whenIdle: () => Promise<void>): Promise<void> {
  for (const part of parts) {
    await whenIdle();
    // The others cannot be loaded either.
    while (!(await part.load({ isAhead: true }))) await new Promise<void>((resolve) => void whenBack(resolve));
  }
}

function NotLoaded({ failure, onRetry }: { failure: NotLoadedError; onRetry: () => void }): ReactElement {
  return (
    <p className="failure not-loaded" role="alert">
      <span>{failure.message}</span>
      <button type="button" className="text-button" onClick={failure.isAway ? onRetry : () => location.reload()}>
        {failure.isAway ? 'Try again' : 'Reload'}
      </button>
    </p>
  );
}
