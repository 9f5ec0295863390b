import { z } from 'zod';
import { rootId } from '../../../forest/ids.ts';
import { defineOperation } from '../../operation.ts';
import { eachRoot } from '../each-root.ts';
import { secretReport } from './secret-report.ts';
import { scanRoots } from './secret-scan.ts';

const scanSecrets = defineOperation({
  name: 'secret.scan',
  summary:
    'Starts a job that looks for secrets in conversations: keys and tokens of well-known services, private keys, passwords in addresses, and random values beside names such as API_KEY. It looks through all blocks that can be seen, their earlier versions, and long output and text files up to 8 MB. Returns the job at once; job.get returns its report, in which no secret is whole.',
  params: () =>
    z.strictObject({
      roots: z.array(rootId).exactOptional().describe('Only these conversations. Default: all that are not deleted.'),
    }),
  result: () =>
    z.strictObject({
      job: z.string().describe(`The id of the job. Its result: {${Object.keys(secretReport().shape).join(', ')}}.`),
    }),
  effect: 'runs',
  role: 'owner',
  run: async (engine, caller, { roots }) => {
    const seen: string[] = [];
    for await (const { id } of eachRoot(engine, caller)) seen.push(id);
    const wanted = roots === undefined ? seen : seen.filter((id) => roots.includes(id));
    const [root] = wanted;
    const about = {
      kind: 'secret.scan',
      agent: caller.agent,
      words: 'Looking for secrets',
      ...(wanted.length === 1 && root !== undefined ? { root } : {}),
    };
    return { ok: true, value: { job: engine.jobs.start(about, (job) => scanRoots(engine, wanted, job)) } };
  },
});

export const secretOperations = [scanSecrets] as const;
