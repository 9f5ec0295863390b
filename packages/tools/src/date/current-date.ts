import type { Clock, Tool } from '@loom/kernel';

/** Tells the date and time: a system prompt with a clock in it would end the prompt cache at every request. */
export function currentDate(clock: Clock): Tool {
  return {
    name: 'current_date',
    description: 'Returns the current date, time, weekday and time zone of the computer that Loom runs on.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    group: 'other',
    effect: 'reads',
    prepare: async () => ({ permission: 'run' }),
    run: async () => ({ content: [{ type: 'text', text: dateText(clock.now()) }] }),
  };
}

/** Returns a time as `2026-11-18 14:03:09 +01:00 (Europe/Berlin), Wednesday`. */
function dateText(time: number): string {
  const date = new Date(time);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long' }).format(date);
  const minutes = -date.getTimezoneOffset();
  const local = new Date(time + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const two = (value: number): string => String(value).padStart(2, '0');
  const away = Math.abs(minutes);
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(away / 60))}:${two(away % 60)}`;
  return `${local} ${offset} (${zone}), ${weekday}`;
}
