import { test } from 'node:test';
import { testStoreContract } from '../testing/contract.ts';
import { noDatabase, testSchema } from './testing/database.ts';

if (noDatabase === false) {
  testStoreContract({
    name: 'postgres',
    capabilities: { durable: true, shared: true },
    // Each run of a property has tables of its own.
    runs: 12,
    create(t) {
      const making = testSchema(t);
      return {
        async open() {
          const schema = await making;
          const store = await schema.open();
          await schema.freeze();
          return store;
        },
        passTime: async (milliseconds) => (await making).passTime(milliseconds),
      };
    },
  });
} else {
  test('[PG1] the store in PostgreSQL passes the contract of all stores', { skip: noDatabase }, () => {});
}
