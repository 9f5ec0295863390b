// The room for answers while windows fill, with the limits that the catalogue knows: 12 models over 5 wires, each through ten windows.
import { loadCatalogue } from '@loom/providers/catalogue';
import { fillWindows, windowModels } from '@loom/providers/testing';

/** The largest window, in tokens; larger ones are cut to this: filling ten of a million tokens shows nothing more. */
const mostWindow = Number(process.argv[2] ?? 200_000);
const providerOf: Readonly<Record<string, string>> = { 'openai chat': 'openai', compatible: 'vllm' };

const catalogue = await loadCatalogue({ now: () => Date.now() });
let failed = 0;
console.log('wire         model                 window  output  thinks  questions  requests  windows  least room');
for (const [wire, models] of Object.entries(windowModels)) {
  for (const model of models) {
    const known = await catalogue.capsOf(providerOf[wire] ?? wire, model.replace('chat/', ''));
    const caps = { ...known, contextWindow: Math.min(mostWindow, known?.contextWindow ?? 32_768) };
    for (const settings of model === 'chat/gpt-4o' ? [{}] : [{}, { reasoning: 'high' }]) {
      const filled = await fillWindows(wire, model, { caps, windows: 10, settings });
      const { questions, requests, summaries, leastRoom, problems } = filled;
      const cells = [caps.contextWindow, caps.maxOutput ?? '?', 'reasoning' in settings ? 'high' : '-'];
      const widths = [7, 7, 7, 10, 9, 8, 11];
      const figures = [...cells, questions, requests, summaries, leastRoom].map((cell, index) =>
        String(cell).padStart(widths[index] ?? 0),
      );
      console.log(`${wire.padEnd(12)} ${model.padEnd(20)} ${figures.join(' ')} ${problems.join('; ')}`);
      failed += problems.length;
    }
  }
}
process.exitCode = failed === 0 ? 0 : 1;
