// Who should have which part: a rule that every member applies to the same table, and comes to the same result.

/** What the members have agreed on. */
export interface Table {
  readonly members: readonly string[];
  /** Of each part the member that has it, or null. */
  readonly owners: readonly (string | null)[];
}

export function emptyTable(parts: number): Table {
  return { members: [], owners: Array<string | null>(parts).fill(null) };
}

/** Without these members; what they had is free. */
export function without(table: Table, members: ReadonlySet<string>): Table {
  if (members.size === 0) return table;
  return {
    members: table.members.filter((member) => !members.has(member)),
    owners: table.owners.map((owner) => (owner !== null && members.has(owner) ? null : owner)),
  };
}

export function withMember(table: Table, member: string): Table {
  return table.members.includes(member) ? table : { ...table, members: [...table.members, member].sort() };
}

/** With these parts free. */
export function freed(table: Table, parts: ReadonlySet<number>): Table {
  if (parts.size === 0) return table;
  return { ...table, owners: table.owners.map((owner, part) => (parts.has(part) ? null : owner)) };
}

/**
 * How many parts a member should have: as many as the others or one more. The one more is for those who have it already, so that
 * nothing moves for its sake; and among these for the first by name, not for whoever has most at the moment: several who let go at
 * the same time would each see another in front, and let go of one too many.
 */
export function shareOf({ members, owners }: Table, member: string): number {
  const counts = new Map(members.map((each) => [each, 0]));
  for (const owner of owners) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const least = Math.floor(owners.length / members.length);
  const towards = (each: string): number => Math.min(counts.get(each) ?? 0, least + 1);
  const order = members.toSorted((one, other) => towards(other) - towards(one) || (one < other ? -1 : 1));
  const place = order.indexOf(member);
  if (place < 0) return 0;
  return least + (place < owners.length % members.length ? 1 : 0);
}

export function partsOf({ owners }: Table, member: string): readonly number[] {
  return owners.flatMap((owner, part) => (owner === member ? [part] : []));
}

/** With as many of the free parts as the member is short of. */
export function claimed(table: Table, member: string): Table {
  let short = shareOf(table, member) - partsOf(table, member).length;
  if (short <= 0) return table;
  return { ...table, owners: table.owners.map((owner) => (owner === null && short-- > 0 ? member : owner)) };
}
