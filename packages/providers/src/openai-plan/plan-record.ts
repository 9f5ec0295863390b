import { z } from 'zod';

/** A login as it is kept, in one file that only its owner may read. After a logout the tokens are gone; the rest makes the next login the same one. */
export const planRecord = z.strictObject({
  version: z.literal(1),
  /** The service that the tokens are from, and the API that they are for: they are sent nowhere else. */
  issuer: z.string(),
  api: z.string(),
  /** Names this installation to the service. */
  host: z.string(),
  client: z.string().exactOptional(),
  subject: z.string().exactOptional(),
  email: z.string().exactOptional(),
  tokens: z
    .strictObject({
      access: z.string(),
      refresh: z.string().exactOptional(),
      id: z.string().exactOptional(),
      expires: z.number(),
      refresh_from: z.number().exactOptional(),
      /** True if the person has allowed the use of the plan. */
      plan: z.boolean(),
    })
    .exactOptional(),
});
export type PlanRecord = z.infer<typeof planRecord>;

/** Keeps the record of a login. */
export interface PlanKeeper {
  read(): Promise<PlanRecord | undefined>;
  /** Runs work that no other process and no other call runs at the same time, and keeps what it returns. */
  change(work: (record: PlanRecord | undefined) => Promise<PlanRecord>): Promise<PlanRecord>;
}
