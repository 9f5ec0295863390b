import type { Finding } from './finding.ts';
import { asRecord } from './repository.ts';
import { runTool, ToolError } from './tool.ts';

/** Lints with type information. Warnings count, and so do comments that switch a rule off without need. */
export async function checkLint(root: string): Promise<Finding[]> {
  // No folder has rules or exceptions of its own.
  const scope = ['--disable-nested-config', '--no-ignore'];
  const args = [...scope, '--type-aware', '--deny-warnings', '--report-unused-disable-directives', '--format=json'];
  const result = await runTool('oxlint', args, root);
  const report = readReport(result.stdout);
  // A linter that looked at nothing would pass for ever.
  if (report === undefined || report.files === 0) throw new ToolError('oxlint', result);
  return report.findings;
}

function readReport(output: string): { files: number; findings: Finding[] } | undefined {
  try {
    const { diagnostics, number_of_files: files } = asRecord(JSON.parse(output));
    if (!Array.isArray(diagnostics) || typeof files !== 'number') return undefined;
    return { files, findings: diagnostics.map(readDiagnostic) };
  } catch {
    return undefined;
  }
}

function readDiagnostic(value: unknown): Finding {
  const { filename, message, code, help, labels } = asRecord(value);
  const { line } = asRecord(asRecord(Array.isArray(labels) ? labels[0] : undefined)['span']);
  return {
    file: typeof filename === 'string' ? filename : '.',
    ...(typeof line === 'number' ? { line } : {}),
    message: [message, typeof help === 'string' ? `(${help})` : '', code]
      .filter((part) => typeof part === 'string' && part !== '')
      .join(' '),
  };
}
