/** Returns the alternatives of a pattern with `{a,b}`, at most a hundred. */
export function expandBraces(pattern: string): string[] {
  let patterns = [pattern];
  for (;;) {
    const open = patterns.find((one) => braces.test(one));
    if (open === undefined || patterns.length > 100) return patterns;
    patterns = patterns.flatMap((one) => {
      const found = braces.exec(one);
      if (found === null) return [one];
      const [whole, inner = ''] = found;
      const [before, behind] = [one.slice(0, found.index), one.slice(found.index + whole.length)];
      return inner.split(',').map((choice) => `${before}${choice}${behind}`);
    });
  }
}

const braces = /\{([^{}]*,[^{}]*)\}/u;
