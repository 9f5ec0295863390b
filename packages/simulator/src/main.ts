import { sim } from './sim.ts';

process.exitCode = await sim(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  isWatched: process.stderr.isTTY,
});
