import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The file of the program below. */
export const serverProgram = import.meta.filename;

const request = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({ name: z.string().optional(), arguments: z.unknown().optional() }).optional(),
});

const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/**
 * A stand-in for MCP servers, run as a program: `node stand-in-server.ts <file>`. The file is JSON with the tools to list; it is read for every
 * list, so that a test can change them. Calls return their arguments; the tools `crash`, `hang` and `relist` do as they are called.
 */
function serve(file: string): void {
  process.stdout.write('Welcome! This line is no message.\n');
  process.stderr.write(
    `the key is ${process.env['STAND_IN_KEY'] ?? 'missing'}, of Loom's ${process.env['LOOM_SECRET'] ?? 'nothing'}\n`,
  );

  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = request.parse(JSON.parse(line));
    if (method === 'initialize') {
      const serverInfo = { name: 'stand-in', version: '1' };
      say({
        id,
        result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo },
      });
    } else if (method === 'tools/list') {
      say({ id, result: { tools: z.array(z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8'))) } });
    } else if (method === 'tools/call') {
      if (params.name === 'crash') process.exit(3);
      if (params.name === 'hang') return;
      if (params.name === 'relist') say({ method: 'notifications/tools/list_changed' });
      const text = JSON.stringify(params.arguments);
      say({ id, result: { content: [{ type: 'text', text: `${params.name ?? ''} got ${text}` }] } });
    } else if (id !== undefined) {
      say({ id, result: {} });
    }
  });
}

if (import.meta.main) serve(process.argv[2] ?? '');
