import { isObject } from "../../../nodes/common/shared/collections.ts";
import type { EventEnvelope } from "../../../src/protocol/index.ts";
import { type Harm, type Passing, ServiceProxy } from "../../support/proxy.ts";
import { below, forgedEvent, type Known, mutatedJson, pick } from "./forge.ts";

type Page = { events: EventEnvelope[]; has_more: boolean };

/** So many true events are enough to forge from. */
const MOST_KNOWN = 300;
const MOST_BESIDE = 4;
const FAR = [1, 2, 5, 1000, 2 ** 31, Number.MAX_SAFE_INTEGER] as const;

/** A relay before the service, which forges what it passes on unless it is told to be honest. */
export class ForgingRelay {
  readonly proxy: ServiceProxy;
  readonly known: Known;
  /** How often it forged what. */
  readonly counts = new Map<string, number>();
  isHonest = true;

  private constructor(proxy: ServiceProxy, foreign: readonly EventEnvelope[]) {
    this.proxy = proxy;
    this.known = { own: [], foreign };
    proxy.harm = (passing) => this.#harmOf(passing);
  }

  static async before(baseUrl: string, foreign: readonly EventEnvelope[]): Promise<ForgingRelay> {
    return new ForgingRelay(await ServiceProxy.before(baseUrl), foreign);
  }

  get forgeries(): number {
    return [...this.counts.values()].reduce((sum, one) => sum + one, 0);
  }

  #harmOf({ method, path }: Passing): Harm | undefined {
    // An hour has many requests.
    this.proxy.passed.length = 0;
    const isPage = /\/events(\/search)?$/.test(path);
    if (method === "GET" && isPage) return { kind: "change", change: (body) => this.#page(body) };
    if (this.isHonest) return undefined;
    const isOfOperation = path.includes("/operations");
    if (isOfOperation && below(10) === 0) {
      this.#count("a lost request");
      return { kind: "answer", status: 503, body: '{"type":"UNAVAILABLE","message":"later"}' };
    }
    // The wallet's address is looked up once, at the start.
    const isForged = isOfOperation || /\/(watchers|events\/search\/)/.test(path);
    if (!isForged || below(3) > 0) return undefined;
    return {
      kind: "change",
      change: (body) => {
        this.#count("an answer about something else");
        return mutatedJson(body, this.known.own);
      },
    };
  }

  #page(body: string): string {
    const page = parsed(body);
    if (page === undefined) return body;
    this.#learn(page.events);
    if (this.isHonest) return body;
    const { events } = page;
    for (const [at, { event_id, headers }] of events.entries()) {
      const one = below(10) < 6 ? forgedEvent(this.known) : undefined;
      if (one === undefined) continue;
      this.#count(one.name);
      // In the place of a true one: a reader sees nothing odd in the page itself.
      if (isObject(one.event.headers)) one.event.headers.offset = headers.offset;
      events[at] = { ...one.event, event_id };
    }
    if (below(10) < 3) {
      for (let left = below(MOST_BESIDE + 1); left > 0; left -= 1) this.#putBeside(events);
      this.#bend(page);
    }
    return JSON.stringify(page);
  }

  /** One more, with an id and an offset of its own. */
  #putBeside(events: EventEnvelope[]): void {
    const one = forgedEvent(this.known);
    if (one === undefined) return;
    this.#count(one.name);
    const at = below(events.length + 1);
    const { headers } = events[Math.min(at, events.length - 1)] ?? this.known.own.at(-1) ?? {};
    const offset = (headers?.offset ?? 1) + (below(8) === 0 ? (pick(FAR) ?? 1) : below(3));
    if (isObject(one.event.headers) && below(4) > 0) one.event.headers.offset = offset;
    events.splice(at, 0, one.event);
  }

  /** Forges the page itself. */
  #bend(page: Page): void {
    const { events } = page;
    const ways: Readonly<Record<string, () => void>> = {
      "a page in another order": () => events.reverse(),
      "a page without some events": () => events.splice(below(events.length + 1), 1 + below(3)),
      "a page that says there is more": () => {
        page.has_more = !page.has_more;
      },
      "a page with other offsets": () => {
        const by = (pick(FAR) ?? 1) * (below(2) === 0 ? 1 : -1);
        for (const { headers } of events) if (isObject(headers)) headers.offset += by;
      },
      "a page with each event twice": () => events.push(...structuredClone(events)),
      "a page of others": () => events.splice(0, events.length, ...this.known.foreign.slice(0, 5)),
    };
    if (below(3) > 0) return;
    const [name, bend] = pick(Object.entries(ways)) as [string, () => void];
    this.#count(name);
    bend();
  }

  #learn(events: readonly EventEnvelope[]): void {
    for (const event of events) {
      if (event.headers.type !== "watcher.event" && event.headers.type !== "operation.status") continue;
      if (typeof event.payload.verifiable_event !== "string") continue;
      if (this.known.own.some(({ event_id }) => event_id === event.event_id)) continue;
      this.known.own.push(structuredClone(event));
    }
    this.known.own.splice(0, this.known.own.length - MOST_KNOWN);
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}

function parsed(body: string): Page | undefined {
  const page = JSON.parse(body) as Partial<Page>;
  return Array.isArray(page.events) ? (page as Page) : undefined;
}
