import { z } from 'zod';

const claims = {
  description: z.string(),
  parameters: z.unknown(),
  effect: z.enum(['reads', 'changes']).catch('changes'),
};

const serverTool = z.object({
  name: z.string(),
  own_name: z.string(),
  ...claims,
  withheld: z.enum(['off', 'changed']).optional(),
  before: z.object({ at: z.string(), ...claims }).optional(),
});
export type ServerTool = z.infer<typeof serverTool>;

const server = z.object({
  name: z.string(),
  all: z.string(),
  command: z.string().optional(),
  url: z.string().optional(),
  state: z.enum(['off', 'starting', 'ready', 'needs-login', 'failed']),
  message: z.string().optional(),
  failures: z.number().optional(),
  retry_at: z.string().optional(),
  since: z.string().optional(),
  calls: z.number(),
  tools: z.array(serverTool),
});
export type ServerInfo = z.infer<typeof server>;
export type ServerState = ServerInfo['state'];

export const serverList = z.object({ items: z.array(server) });
export const serverLog = z.object({ lines: z.array(z.object({ at: z.string(), kind: z.string(), text: z.string() })) });
