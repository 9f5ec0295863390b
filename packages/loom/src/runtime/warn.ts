/** Tells of a defect that ends nothing. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
