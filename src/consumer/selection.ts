import { type ChannelEvent, type EventType, eventTypeOf, type Open, unlisted } from "../protocol/index.ts";
import type { EventConsumerOptions } from "./options.ts";
import type { EventTimes } from "./times.ts";

/** What becomes of an event. */
export type Fate = "wanted" | "unwanted" | "before the start" | "too old";

/** Which events of a channel a consumer is to hand over. */
export class Selection {
  readonly #types: ReadonlySet<Open<EventType>>;
  readonly #filter: ((event: ChannelEvent) => boolean) | undefined;
  readonly #oldestMs: number;

  constructor({ types, filter, catchUp }: Pick<EventConsumerOptions, "types" | "filter" | "catchUp">) {
    this.#types = new Set(types);
    this.#filter = filter;
    this.#oldestMs = catchUp?.skipOlderThanMs ?? Number.POSITIVE_INFINITY;
  }

  /** The type to ask the service for, where only one is wanted. */
  get onlyType(): Open<EventType> | undefined {
    return this.#types.size === 1 ? [...this.#types][0] : undefined;
  }

  /** `notBefore` is in Unix seconds. */
  fateOf(
    event: ChannelEvent,
    { notBefore, times }: { notBefore: number | undefined; times: EventTimes },
  ): Fate {
    if (this.#types.size > 0 && !this.#types.has(unlisted(eventTypeOf(event) ?? ""))) return "unwanted";
    if (notBefore !== undefined && (times.of(event) ?? notBefore) < notBefore) return "before the start";
    if (!this.#passesFilter(event)) return "unwanted";
    return times.ageMsOf(event) > this.#oldestMs ? "too old" : "wanted";
  }

  #passesFilter(event: ChannelEvent): boolean {
    try {
      return this.#filter?.(event) ?? true;
    } catch {
      return true;
    }
  }
}
