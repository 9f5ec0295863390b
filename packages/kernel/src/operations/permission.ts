import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { Caller, Operation, Role } from './operation.ts';

const rank: Record<Role, number> = { reader: 0, writer: 1, owner: 2 };

/**
 * Why a caller may not ask for this: the one place where door, role and conversations are looked at, for all operations. Without the
 * conversations that a call names: whether there could be a call that it may make.
 */
export function refuseCaller(
  { name, doors, role, effect }: Operation,
  caller: Caller,
  named?: readonly string[],
): { ok: false; refusal: Refusal } | undefined {
  if (!doors.includes(caller.door)) return refuse('not-permitted', `${name} is not offered here`);
  if (rank[caller.role] < rank[role]) return refuse('not-permitted', `${name} needs a ${role}, not a ${caller.role}`);
  const { roots } = caller;
  if (roots === undefined || named === undefined) return undefined;
  const outside = named.filter((root) => !roots.includes(root));
  if (outside.length > 0) return refuse('not-permitted', 'the caller may not use these conversations', outside);
  // What names no conversation makes one, or changes something that all share.
  if (effect === 'reads' || named.length > 0) return undefined;
  return refuse('not-permitted', `${name} reaches beyond the conversations that the caller may use`);
}
