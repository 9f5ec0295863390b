import { locale } from './locale.ts';

/** `1 branch`, `3 branches`, `1,204 blocks` */
export function count(amount: number, word: string, plural = `${word}s`): string {
  return `${whole.format(amount)} ${amount === 1 ? word : plural}`;
}

/** `1,204` */
export function grouped(amount: number): string {
  return whole.format(amount);
}

/** `84%`, of a share from 0 to 1. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

const whole = new Intl.NumberFormat(locale);

/** `980`, `61.2k`, `1.4M` */
export function tokens(amount: number): string {
  if (amount < 1000) return String(amount);
  if (amount < 1_000_000) return `${trim(amount / 1000)}k`;
  return `${trim(amount / 1_000_000)}M`;
}

/** `$0.31`, `under $0.01`, `$12.40` */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.005) return 'under $0.01';
  return `$${amount.toFixed(2)}`;
}

/** An estimate of money: `about $0.21`, `under $0.01` */
export function aboutDollars(amount: number): string {
  return amount < 0.005 ? dollars(amount) : `about ${dollars(amount)}`;
}

/** `12 B`, `3.4 KB`, `1.2 MB` */
export function bytes(amount: number): string {
  if (amount < 1000) return `${amount} B`;
  if (amount < 1_000_000) return `${trim(amount / 1000)} KB`;
  return `${trim(amount / 1_000_000)} MB`;
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/u, '');
}
