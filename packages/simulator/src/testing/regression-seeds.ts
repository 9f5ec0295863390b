/**
 * Seeds that found a defect of the kernel, with the defect. A seed means something only for the present simulator: when that changes, remove the fix
 * of a defect in a copy, run the first few hundred seeds, and enter the one that shows it.
 */
export const regressionSeeds: readonly { seed: number; found: string }[] = [
  { seed: 3, found: 'the blocks of a waiting message got ids that another process gave out again' },
  { seed: 4, found: 'a turn that ended between a call and its result node left the call unanswered' },
  { seed: 6, found: 'a call that was approved, but not begun when its process died, kept its turn open for ever' },
  { seed: 7, found: 'a call that was cut off got a result in the next request' },
  {
    seed: 8,
    found: 'a message that waited for a turn was lost when the process died right after the end of that turn',
  },
  { seed: 10, found: 'a call that needs no decision kept its turn open for a person after a crash' },
  {
    seed: 26,
    found: 'results that came out of order in a turn that was taken over made the next answer hang beside them',
  },
  { seed: 28, found: 'a process that starts before a lease has run out never looked at that turn again' },
  { seed: 31, found: 'a repeated request started a second runner of the same turn' },
  {
    seed: 32,
    found:
      'a lease that was being renewed when its turn was taken away was renewed for ever, and no process could go on with the turn',
  },
  { seed: 36, found: 'a decision that came while another process recovered the turn was never acted upon' },
  { seed: 49, found: 'a turn whose writes failed stayed live until the process was started anew' },
  { seed: 51, found: 'a message whose only child was merged away was another one after a snapshot than before' },
  { seed: 64, found: 'a tool of a stopped runner answered a call that had been answered as interrupted' },
];
