import { type ChannelEvent, type EventType, eventTypeOf, type Open, unlisted } from "../../protocol/index.ts";
import type { EventConsumerOptions } from "../options.ts";
import type { EventTimes } from "../pages/page-source.ts";

/** Whether an event is delivered, or why not. */
export type Selected = "deliver" | "filtered" | "before start" | "too old";

/** Selects the events of a channel that a consumer delivers. */
export class Selection {
  readonly #types: ReadonlySet<Open<EventType>>;
  readonly #filter: ((event: ChannelEvent) => boolean) | undefined;
  readonly #maxAgeMs: number;

  constructor({ types, filter, catchUp }: Pick<EventConsumerOptions, "types" | "filter" | "catchUp">) {
    this.#types = new Set(types);
    this.#filter = filter;
    this.#maxAgeMs = catchUp?.skipOlderThanMs ?? Number.POSITIVE_INFINITY;
  }

  /** The type to request from the service, when there is only one. */
  get onlyType(): Open<EventType> | undefined {
    return this.#types.size === 1 ? [...this.#types][0] : undefined;
  }

  /** `notBefore` is in Unix seconds. */
  select(
    event: ChannelEvent,
    { notBefore, times }: { notBefore: number | undefined; times: EventTimes },
  ): Selected {
    if (this.#types.size > 0 && !this.#types.has(unlisted(eventTypeOf(event) ?? ""))) return "filtered";
    if (notBefore !== undefined && (times.of(event) ?? notBefore) < notBefore) return "before start";
    if (!this.#passesFilter(event)) return "filtered";
    return times.ageMsOf(event) > this.#maxAgeMs ? "too old" : "deliver";
  }

  #passesFilter(event: ChannelEvent): boolean {
    try {
      return this.#filter?.(event) ?? true;
    } catch {
      return true;
    }
  }
}
