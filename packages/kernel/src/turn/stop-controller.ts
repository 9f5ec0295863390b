/**
 * Makes an `AbortController` for code that Loom did not write. A listener that throws on the abort would end the whole
 * process (Node) or be reported to the page; here it hurts only itself.
 */
export function createStopController(): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const guards = new Map<unknown, () => void>();
  const call = (method: 'addEventListener' | 'removeEventListener'): ((...given: unknown[]) => void) => {
    const original: unknown = Reflect.get(signal, method);
    return (type, listener, ...options) => {
      const guard = guards.get(listener) ?? guarded(signal, listener);
      if (type === 'abort') guards.set(listener, guard);
      if (typeof original === 'function') Reflect.apply(original, signal, [type, guard, ...options]);
    };
  };
  const add = call('addEventListener');
  Object.defineProperty(signal, 'addEventListener', { value: add });
  Object.defineProperty(signal, 'removeEventListener', { value: call('removeEventListener') });
  Object.defineProperty(signal, 'onabort', {
    set(listener: unknown) {
      add('abort', listener);
    },
  });
  return controller;
}

function guarded(signal: AbortSignal, listener: unknown): (...given: unknown[]) => void {
  return (...given) => {
    const heard: unknown = typeof listener === 'function' ? listener : Reflect.get(Object(listener), 'handleEvent');
    if (typeof heard !== 'function') return;
    try {
      Promise.resolve(Reflect.apply(heard, signal, given)).catch(() => {});
    } catch {
      // The error belongs to a tool or provider, which is over anyway; the others have to hear of the abort.
    }
  };
}
