import type { FillingLine } from './filling-writer.ts';

/** Returns the faults in the course of a writer that fills a disk: it has to hear of it, to read all, and to go on when there is room. */
export function wrongCourse(lines: readonly FillingLine[], isKilled: boolean): string[] {
  const findings: string[] = [];
  const full = lines.findIndex(({ type }) => type === 'full');
  const told = lines[full];
  if (told?.type !== 'full') return ['no error told that the disk is full'];
  if (told.code !== 'store-failed') findings.push(`a full disk is told as ${told.code}`);
  if (!/full|space/u.test(told.advice)) findings.push(`the advice does not help: ${told.advice}`);
  const read = lines.find((line) => line.type === 'read');
  const said = lines.slice(0, full).filter(({ type }) => type === 'said').length;
  if (read === undefined || read.nodes < said) findings.push(`of ${said} messages ${read?.nodes ?? 0} could be read`);
  if (isKilled) return findings;
  if (!lines.some(({ type }) => type === 'resumed')) findings.push('there was room again, and nothing was written');
  if (lines.at(-1)?.type !== 'closed') findings.push('it did not close');
  return findings;
}
