import { testStoreContract } from '../testing/contract.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

testStoreContract({
  name: 'sqlite',
  capabilities: { durable: true, shared: true, announcesInProcess: true },
  create(t) {
    const directory = temporaryDirectory(t);
    let now = 1000;
    return {
      open: () => directory.open({ now: () => now }),
      passTime: (milliseconds) => void (now += milliseconds),
    };
  },
});
