import type { Finding } from './finding.ts';
import { runTool, ToolError } from './tool.ts';

/** Finds the files that the formatter would change. */
export async function checkFormat(root: string): Promise<Finding[]> {
  const result = await runTool('oxfmt', ['--list-different', '--disable-nested-config'], root);
  const files = result.stdout.split('\n').filter((line) => line !== '');
  if (result.code !== 0 && files.length === 0) throw new ToolError('oxfmt', result);
  return files.map((file) => ({ file, message: 'format it: npm run format' }));
}
