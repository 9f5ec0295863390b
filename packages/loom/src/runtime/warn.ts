/** The pause before a warning is repeated, in milliseconds. */
const reminder = 60 * 60 * 1000;

/** The warnings printed, and their times. */
const said = new Map<string, number>();

/** Reports a problem that ends nothing: a fault of the machine in plain words, and once; a defect as the runtime shows one. */
export function warn(problem: unknown): void {
  void tell(problem);
}

async function tell(problem: unknown): Promise<void> {
  // Loaded late: nearly all commands have nothing to tell.
  const { LoomError } = await import('../command-line/failure.ts');
  const { asFailure } = await import('../words/failures.ts');
  const failure = asFailure(problem);
  if (!(failure instanceof LoomError)) {
    process.emitWarning(problem instanceof Error ? problem : String(problem));
    return;
  }
  const { message, advice } = failure;
  const text = `loom: ${message}\n${advice === undefined ? '' : `${advice}\n`}`;
  const now = Date.now();
  if (now - (said.get(text) ?? -Infinity) < reminder) return;
  said.set(text, now);
  process.stderr.write(text);
}
