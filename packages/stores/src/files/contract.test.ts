import { withFaults } from '../memory/index.ts';
import { testStoreContract } from '../testing/contract.ts';
import { SimulatedFiles } from '../testing/simulated-files.ts';
import { openFileSystemStore } from './index.ts';
import { temporaryStore } from './testing/temporary-store.ts';

// The declared limit: several processes may not write at the same time.
testStoreContract({
  name: 'files',
  capabilities: { durable: true, shared: false },
  create(t) {
    const directory = temporaryStore(t);
    let now = 1000;
    return {
      open: () => directory.open({ now: () => now }),
      passTime: (milliseconds) => void (now += milliseconds),
    };
  },
});

// The same again on a simulated disk, with the tests for several handles, which in one process it passes too.
testStoreContract({
  name: 'files, simulated, handles of one process',
  capabilities: { durable: true, shared: true },
  create(t) {
    const files = new SimulatedFiles(Math.random).boot();
    let now = 1000;
    return {
      open: async () => {
        const store = await openFileSystemStore({ directory: '/data', files, now: () => now });
        t.after(() => store.close());
        return {
          ...withFaults(store, () => undefined),
          append: (log, request) => store.append(log, request),
          capabilities: { durable: true, shared: true },
        };
      },
      passTime: (milliseconds) => void (now += milliseconds),
    };
  },
});
