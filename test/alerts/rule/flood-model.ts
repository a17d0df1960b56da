/** An event of a flood: its time in milliseconds, and whether its state holds. */
export type FloodEvent = { id: string; at: number; amount: number; matches: boolean };

export type Modelled =
  | { kind: "each"; quietMs: number }
  | { kind: "state" }
  | { kind: "window"; limit: number; withinMs: number; quietMs: number; says: "count" | "sum" };

type Kept = { at: number; amount: number; isUsed: boolean };

/** What a rule answers that remembers everything, to events in their order of which some come again. */
export class FloodModel {
  readonly #rule: Modelled;
  readonly #seen = new Set<string>();
  readonly #kept: Kept[] = [];
  #first = 0;
  #count = 0;
  #sum = 0;
  #lastAlert = Number.NEGATIVE_INFINITY;
  #suppressed = 0;
  #isActive = false;

  constructor(rule: Modelled) {
    this.#rule = rule;
  }

  give(event: FloodEvent): string {
    const isNew = !this.#seen.has(event.id);
    this.#seen.add(event.id);
    const rule = this.#rule;
    if (rule.kind === "state") return this.#state(event, isNew);
    if (!isNew) return "seen";
    if (rule.kind === "each") return this.#raised(event.at, rule.quietMs, "");
    return this.#window(event, rule);
  }

  #state({ at, matches }: FloodEvent, isNew: boolean): string {
    if (!matches) {
      const isEnd = isNew && this.#isActive;
      if (isEnd) this.#isActive = false;
      return isEnd ? `no_match, recovered at ${at}` : "no_match";
    }
    if (!isNew) return "seen";
    if (this.#isActive) {
      this.#suppressed += 1;
      return "quiet";
    }
    this.#isActive = true;
    return this.#raised(at, 0, "");
  }

  #window({ at, amount }: FloodEvent, rule: Modelled & { kind: "window" }): string {
    this.#kept.push({ at, amount, isUsed: false });
    this.#count += 1;
    this.#sum += amount;
    for (let one = this.#kept[this.#first]; one && one.at <= at - rule.withinMs; ) {
      if (!one.isUsed) this.#count -= 1;
      if (!one.isUsed) this.#sum -= one.amount;
      this.#first += 1;
      one = this.#kept[this.#first];
    }
    const reached = rule.says === "sum" ? this.#sum : this.#count;
    if (reached < rule.limit) return "counted";
    const counted = this.#count === 1 ? "" : ` count ${this.#count}`;
    const answer = this.#raised(
      at,
      rule.quietMs,
      `${counted}${rule.says === "sum" ? ` sum ${this.#sum}` : ""}`,
    );
    if (rule.quietMs > 0 || answer === "quiet") return answer;
    for (const one of this.#kept.slice(this.#first)) one.isUsed = true;
    [this.#count, this.#sum] = [0, 0];
    return answer;
  }

  #raised(at: number, quietMs: number, counted: string): string {
    if (at - this.#lastAlert < quietMs) {
      this.#suppressed += 1;
      return "quiet";
    }
    const suppressed = this.#suppressed === 0 ? "" : ` suppressed ${this.#suppressed}`;
    [this.#lastAlert, this.#suppressed] = [at, 0];
    return `alert at ${at}${counted}${suppressed}`;
  }
}
