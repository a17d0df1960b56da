/** A rule that copies of a shared store have, or had: its copies, and when each last said that it is there. */
export type RuleUse = { rule: string; copies: Array<[copy: string, saidAt: number]> };

/** The rules of a shared store, in the order in which they were deployed: the newest comes last. */
export type RuleUses = readonly RuleUse[];

/** A copy as it writes itself down. */
type Use = { rule: string; copy: string; at: number };

/** Where copies do not differ, they say only so often that they are there. */
export const SAID_EACH_MS = 60 * 60_000;
/** A copy that said nothing for so long has ended. */
const ENDED_MS = 2.5 * SAID_EACH_MS;
/** Where they differ, each says it all the time. */
const SILENT_MS = 2 * 60_000;
/** As long as this, a copy with the newest rule may stay away, such as for a restart, until an older one replaces it. */
export const AWAY_MS = 10 * 60_000;

/** With a copy that is there. A rule that is not known is the oldest, unless it `isDeployed`: then it is the newest. */
export function withUse(uses: RuleUses, { rule, copy, at }: Use, isDeployed: boolean): RuleUses {
  const before = withoutUse(uses, { rule, copy, at });
  const { copies } = before.find((use) => use.rule === rule) ?? { copies: [] };
  const present: RuleUse = { rule, copies: [...copies, [copy, at]] };
  const others = before.filter((use) => use.rule !== rule);
  if (isDeployed) return [...others, present];
  const isKnown = others.length < before.length;
  return isKnown ? before.map((use) => (use.rule === rule ? present : use)) : [present, ...others];
}

/** Without a copy that leaves, and those of its rule that have ended. */
export function withoutUse(uses: RuleUses, { rule, copy, at }: Use): RuleUses {
  return uses.map((use) =>
    use.rule === rule
      ? { rule, copies: use.copies.filter(([id, saidAt]) => id !== copy && at - saidAt < ENDED_MS) }
      : use,
  );
}

/** With rules of which no copy is known, such as those of a record that was lost: each with one that says nothing. */
export function withUnknown(uses: RuleUses, rules: ReadonlySet<string>): RuleUses {
  const unknown = [...rules].filter((rule) => !uses.some((use) => use.rule === rule));
  return [...unknown.map((rule): RuleUse => ({ rule, copies: [["", 0]] })), ...uses];
}

/** Whether a copy is there that has not ended. */
export function isInUse(uses: RuleUses, at: number): boolean {
  return uses.some(({ copies }) => copies.some(([, saidAt]) => at - saidAt < ENDED_MS));
}

/** Whether a value from a store is what is kept. */
export function areRuleUses(value: unknown): value is RuleUse[] {
  return (
    Array.isArray(value) && value.every((use) => typeof use?.rule === "string" && Array.isArray(use.copies))
  );
}

/**
 * What a copy sees of other rules. Clocks of copies differ: only for how long they say nothing is measured, by the clock
 * of this one.
 */
export class OtherRules {
  readonly #seen = new Map<string, { said: string; since: number }>();

  /**
   * `gone`: no copy has them, and this one has the newest. `isNewest`: the copy is to become the one with the newest,
   * since nobody has that any more. `isDifferent`: another one is in use.
   */
  look(
    uses: RuleUses,
    rule: string,
    elapsed: number,
  ): { gone: RuleUse[]; isNewest: boolean; isDifferent: boolean } {
    const silentMs = (use: RuleUse) => elapsed - this.#silentSince(use, elapsed);
    const others = uses.filter((use) => use.rule !== rule);
    const silent = others.map((use) => ({ use, forMs: silentMs(use) }));
    for (const known of this.#seen.keys()) {
      if (!others.some((use) => use.rule === known)) this.#seen.delete(known);
    }
    const newest = uses.at(-1);
    const isNewest = newest?.rule === rule;
    const isAway = silent.some(({ use, forMs }) => use === newest && forMs >= AWAY_MS);
    const gone = silent.filter(({ use, forMs }) => use.copies.length === 0 || forMs >= SILENT_MS);
    return {
      gone: isNewest ? gone.map(({ use }) => use) : [],
      isNewest: isNewest || isAway,
      isDifferent: gone.length < others.length,
    };
  }

  #silentSince({ rule, copies }: RuleUse, elapsed: number): number {
    const said = JSON.stringify(copies);
    const known = this.#seen.get(rule);
    if (known?.said === said) return known.since;
    this.#seen.set(rule, { said, since: elapsed });
    return elapsed;
  }
}
