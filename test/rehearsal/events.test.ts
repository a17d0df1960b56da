import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import type { EventReader } from "../../rehearsal/parent/events/channel-pages.ts";
import {
  eventsOfFile,
  parseEventFile,
  readEventFile,
  writeEventFile,
} from "../../rehearsal/parent/events/event-file.ts";
import {
  type PastEvents,
  pruneCache,
  readEvents,
  type Span,
  spanOf,
} from "../../rehearsal/parent/events/read-events.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import { type ChannelEvent, CrecClient, type EventPage } from "../../src/index.ts";
import { type Seeded, startSeededService } from "../support/seeded-service.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const OTHER = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const HOUR_MS = 3_600_000;

async function allOf({ batches }: PastEvents): Promise<PastEvent[]> {
  const found: PastEvent[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
}

const offsetsOf = (events: readonly PastEvent[]) => events.map(({ event }) => event.headers.offset);
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

type Made = {
  offset: number;
  time?: number;
  payload?: Record<string, unknown>;
  proofs?: unknown[];
  id?: string;
};

function made({ offset, time, payload = {}, proofs = [], id = `e${offset}` }: Made): ChannelEvent {
  const created = time === undefined ? {} : { created_at: time };
  return {
    event_id: id,
    headers: { type: "watcher.status", offset, proofs },
    payload,
    ...created,
  } as ChannelEvent;
}

/** A service of any habits, in memory: what the local one cannot show. */
class OddService implements EventReader {
  readonly baseUrl = "http://odd";
  polls = 0;
  channels: Record<string, readonly ChannelEvent[]>;
  readonly habits: { isDown?: boolean; isExclusive?: boolean };

  constructor(channels: OddService["channels"], habits: OddService["habits"] = {}) {
    this.channels = channels;
    this.habits = habits;
  }

  readonly events = {
    poll: async (
      channelId: string,
      position: { offset?: number; limit?: number } = {},
    ): Promise<EventPage> => {
      this.polls += 1;
      const { offset, limit = 200 } = position;
      const { isDown = offset === undefined, isExclusive = false } = this.habits;
      const all = this.channels[channelId] ?? [];
      const isDownNow = offset === undefined || isDown;
      const from = offset ?? Number.MAX_SAFE_INTEGER;
      const fits = ({ headers }: ChannelEvent) =>
        headers.offset === from ? !isExclusive : isDownNow ? headers.offset < from : headers.offset > from;
      const found = all.filter(fits).sort((a, b) => a.headers.offset - b.headers.offset);
      const page = isDownNow ? found.reverse().slice(0, limit) : found.slice(0, limit);
      return { events: structuredClone(page), has_more: page.length < found.length };
    },
  };
}

describe("the past events of a channel", function () {
  this.timeout(180_000);

  let service: Seeded;
  let client: CrecClient;
  let folder: string;
  let channelId: string;
  before(async () => {
    service = await startSeededService(1_050);
    client = new CrecClient({ baseUrl: service.ready.base_url, apiKey: service.ready.api_key });
    channelId = (await client.channels.list()).data[0]?.channel_id ?? "";
    folder = await mkdtemp(join(tmpdir(), "crec-past-"));
  });
  after(async () => {
    await client?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("are those of the offsets, both ends included", async () => {
    const past = await readEvents(client, [channelId], spanOf({ offsets: [399, 801] }, 0));
    const events = await allOf(past);
    should(offsetsOf(events)).deepEqual(range(399, 801));
    should(events.map(({ event }) => event.event_id)).deepEqual(service.eventIds.slice(398, 801));
    should(past.span).deepEqual({ from: events[0]?.at, to: events.at(-1)?.at });
  });

  it("end at the end of the channel, which may be before the last offset", async () => {
    const events = await allOf(await readEvents(client, [channelId], spanOf({ offsets: [1_040, 9_999] }, 0)));
    should(offsetsOf(events)).deepEqual(range(1_040, 1_050));
    await should(
      readEvents(client, [channelId], { kind: "offsets", first: 1_051, last: 1_060 }),
    ).be.rejectedWith(/ends at offset 1050.*up to 1050/, { code: "OFFSETS_BEYOND_END" });
  });

  it("are those of the last hours, by the time when the service wrote them", async () => {
    const now = Date.now();
    const events = await allOf(await readEvents(client, [channelId], spanOf({ last: 24 }, now)));
    should(offsetsOf(events)).deepEqual(range(1, 1_050));
    for (const { at, event } of events) should(at).equal(Number(event.created_at) * 1_000);
    const span = spanOf({ from: 0, to: now - 48 * HOUR_MS }, now);
    await should(readEvents(client, [channelId], span)).be.rejectedWith(/Choose another span/, {
      code: "NO_EVENTS_IN_SPAN",
    });
  });

  it("come from the disk the second time, except for the newest page", async () => {
    const cacheFolder = join(folder, "kept");
    const span: Span = { kind: "offsets", first: 1, last: 1_050 };
    const first = await allOf(await readEvents(client, [channelId], span, { cacheFolder }));
    const [name = ""] = await readdir(cacheFolder);
    const blocks = (await readdir(join(cacheFolder, name))).sort();
    should(blocks).deepEqual(["0.json", "1.json", "2.json", "3.json"]);
    let polls = 0;
    const counting: EventReader = {
      baseUrl: client.baseUrl,
      events: {
        poll: (...given) => {
          polls += 1;
          return client.events.poll(...given);
        },
      },
    };
    should(await allOf(await readEvents(counting, [channelId], span, { cacheFolder }))).deepEqual(first);
    // The end of the channel (2), the comparison of one event, the times of the span (2), and the events from 800 on.
    should(polls).equal(2 + 1 + 2 + 2);
  });

  it("are read from the service where the disk has them damaged", async () => {
    const cacheFolder = join(folder, "damaged");
    const span: Span = { kind: "offsets", first: 1, last: 1_050 };
    const first = await allOf(await readEvents(client, [channelId], span, { cacheFolder }));
    const [name = ""] = await readdir(cacheFolder);
    const path = join(cacheFolder, name, "1.json");
    const whole = await readFile(path, "utf8");
    await writeFile(path, whole.slice(0, -7));
    should(await allOf(await readEvents(client, [channelId], span, { cacheFolder }))).deepEqual(first);
    should(await readFile(path, "utf8")).equal(whole);
  });

  it("end with the signal", async () => {
    const aborting = new AbortController();
    const span: Span = { kind: "offsets", first: 1, last: 1_050 };
    const { batches } = await readEvents(client, [channelId], span, { signal: aborting.signal });
    const read = async () => {
      for await (const _ of batches) aborting.abort();
    };
    await should(read()).be.rejected();
  });
});

describe("the past events of a service with other habits", () => {
  const many = (count: number, more: (offset: number) => Partial<Made> = () => ({})) =>
    range(0, count - 1).map((offset) => made({ offset, time: 1_000 + offset, ...more(offset) }));

  for (const isDown of [false, true]) {
    for (const isExclusive of [false, true]) {
      const how = `${isDown ? "older" : "newer"} events, offset ${isExclusive ? "not " : ""}included`;
      it(`are found where pages lead to ${how}`, async () => {
        for (const step of [1, 7, 450]) {
          const events = range(0, 899).map((index) => made({ offset: index * step, time: 1_000 + index }));
          const odd = new OddService({ [ID]: events }, { isDown, isExclusive });
          const span: Span = { kind: "times", from: 1_300_000, to: 1_600_000 };
          const found = await allOf(await readEvents(odd, [ID], span));
          should(offsetsOf(found)).deepEqual(range(300, 600).map((index) => index * step));
          const byOffset: Span = { kind: "offsets", first: step, last: 5 * step };
          should(offsetsOf(await allOf(await readEvents(odd, [ID], byOffset)))).deepEqual(
            range(1, 5).map((index) => index * step),
          );
        }
      });
    }
  }

  it("are found without reading the whole channel", async () => {
    const odd = new OddService({ [ID]: many(20_000) });
    const span: Span = { kind: "times", from: 20_000_000, to: 20_100_000 };
    should(offsetsOf(await allOf(await readEvents(odd, [ID], span)))).deepEqual(range(19_000, 19_100));
    should(odd.polls).be.below(25);
  });

  it("are found where some of them have no times", async () => {
    const untimed = (offset: number) => (offset < 400 || offset % 7 === 0 ? { time: 1_000 + offset } : {});
    const events = range(0, 1_999).map((offset) => made({ offset, ...untimed(offset) }));
    const odd = new OddService({ [ID]: events });
    const span: Span = { kind: "times", from: 1_300_000, to: 1_350_000 };
    should(offsetsOf(await allOf(await readEvents(odd, [ID], span)))).deepEqual(range(300, 350));
  });

  it("have the time of the block, or of the event before, and never an earlier one", async () => {
    const text = { timestamp: 50 };
    const events = [
      made({ offset: 0 }),
      made({ offset: 1, time: 100 }),
      made({ offset: 2, time: 90 }),
      made({ offset: 3 }),
      made({ offset: 4, payload: text }),
      made({ offset: 5, time: 120_000_000_000 }),
      made({ offset: 6, time: 130 }),
    ];
    const odd = new OddService({ [ID]: events });
    const found = await allOf(await readEvents(odd, [ID], { kind: "times", from: 0, to: 1_000_000 }));
    should(found.map(({ event, at }) => [event.headers.offset, at])).deepEqual([
      [1, 100_000],
      [2, 100_000],
      [3, 100_000],
      [4, 100_000],
      [6, 130_000],
    ]);
  });

  it("of several channels are in the order of their times, each in that of its offsets", async () => {
    const odd = new OddService({
      [ID]: many(700, (offset) => ({ time: 1_000 + 2 * offset })),
      [OTHER]: many(700, (offset) => ({ time: 1_001 + 2 * Math.floor(offset / 2) })),
    });
    const found = await allOf(await readEvents(odd, [ID, OTHER], { kind: "times", from: 0, to: 9_000_000 }));
    should(found).have.length(1_400);
    found.forEach(({ at }, index) => void should(at).be.aboveOrEqual(found[index - 1]?.at ?? 0));
    for (const id of [ID, OTHER]) {
      should(offsetsOf(found.filter(({ channelId }) => channelId === id))).deepEqual(range(0, 699));
    }
    const offsets: Span = { kind: "offsets", first: 0, last: 1 };
    await should(readEvents(odd, [ID, OTHER], offsets)).be.rejectedWith(/Choose times/, {
      code: "SPAN_INVALID",
    });
  });

  it("are forgotten when another channel has the same id", async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), "crec-past-"));
    try {
      const span: Span = { kind: "offsets", first: 0, last: 999 };
      const odd = new OddService({ [ID]: many(1_000) });
      await allOf(await readEvents(odd, [ID], span, { cacheFolder }));
      odd.channels = { [ID]: many(1_000, (offset) => ({ id: `new${offset}` })) };
      const found = await allOf(await readEvents(odd, [ID], span, { cacheFolder }));
      should(found.filter(({ event }) => !event.event_id.startsWith("new"))).be.empty();
    } finally {
      await rm(cacheFolder, { recursive: true, force: true });
    }
  });

  it("are not kept while a proof is missing", async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), "crec-past-"));
    try {
      const span: Span = { kind: "offsets", first: 0, last: 999 };
      const odd = new OddService({
        [ID]: many(1_000, (offset) => (offset === 250 ? { payload: { verifiable_event: "" } } : {})),
      });
      await allOf(await readEvents(odd, [ID], span, { cacheFolder }));
      const [name = ""] = await readdir(cacheFolder);
      should((await readdir(join(cacheFolder, name))).sort()).deepEqual(["0.json", "2.json", "3.json"]);
    } finally {
      await rm(cacheFolder, { recursive: true, force: true });
    }
  });

  it("are removed from the disk, the oldest first, beyond its bound", async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), "crec-past-"));
    try {
      for (const [index, name] of ["2", "1", "3"].entries()) {
        await writeFile(join(cacheFolder, name), "x".repeat(100));
        await utimes(join(cacheFolder, name), 1_000 + index, 1_000 + index);
      }
      await writeFile(join(cacheFolder, "left.tmp"), "");
      await utimes(join(cacheFolder, "left.tmp"), 1, 1);
      await pruneCache(cacheFolder, 200);
      should((await readdir(cacheFolder)).sort()).deepEqual(["1", "3"]);
      await pruneCache(join(cacheFolder, "missing"));
    } finally {
      await rm(cacheFolder, { recursive: true, force: true });
    }
  });
});

describe("the span of a rehearsal", () => {
  it("is the last hours, two times, or offsets", () => {
    should(spanOf({ last: 2 }, 10 * HOUR_MS)).deepEqual({
      kind: "times",
      from: 8 * HOUR_MS,
      to: 10 * HOUR_MS,
    });
    should(spanOf({ from: 1, to: 1 }, 0)).deepEqual({ kind: "times", from: 1, to: 1 });
    should(spanOf({ offsets: [3, 4] }, 0)).deepEqual({ kind: "offsets", first: 3, last: 4 });
  });

  it("says what to correct", () => {
    const refused = (choice: Parameters<typeof spanOf>[0], text: RegExp) =>
      should(() => spanOf(choice, 0)).throw(text, { code: "SPAN_INVALID" });
    refused({ last: 0 }, /above 0/);
    refused({ last: Number.NaN }, /above 0/);
    refused({ from: 2, to: 1 }, /Exchange the two times/);
    refused({ from: Number.NaN, to: 1 }, /Enter both/);
    refused({ offsets: [2, 1] }, /Exchange the two/);
    refused({ offsets: [-1, 1] }, /whole numbers/);
  });
});

describe("a file of events", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-file-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const events = [
    made({ offset: 4, time: 30 }),
    made({ offset: 3, time: 20 }),
    made({ offset: 4, time: 30 }),
  ];

  it("is read as it was written, in the order of the offsets", async () => {
    const path = join(folder, "deep", "events.json");
    const snapshot = { networks: [{ id: "n" }], wallets: [], channels: [] };
    const file = {
      format: "crec-events",
      version: 1,
      channel: { id: ID, name: "a" },
      service: "s",
      snapshot,
    } as const;
    await writeEventFile(path, { ...file, events: events.slice(0, 2) });
    const read = await readEventFile(path);
    should(read).deepEqual({ ...file, events: [events[1], events[0]] });
    const past = eventsOfFile(read);
    should(past.span).deepEqual({ from: 20_000, to: 30_000 });
    should((await allOf(past)).map(({ channelId, at }) => [channelId, at])).deepEqual([
      [ID, 20_000],
      [ID, 30_000],
    ]);
  });

  it("may be a list of events or a page of them, and have no snapshot", () => {
    const list = [{ ...made({ offset: 1, time: 5 }), channel_id: ID }];
    for (const text of [JSON.stringify(list), `\uFEFF${JSON.stringify({ events: list, has_more: false })}`]) {
      const file = parseEventFile(text);
      should(file.channel).deepEqual({ id: ID, name: "" });
      should(file.snapshot).match({ networks: [], wallets: [] });
      should(file.snapshot.channels).match([{ channel: { channel_id: ID, status: "active" }, watchers: [] }]);
      should(file.events).deepEqual(list);
    }
    should(parseEventFile(JSON.stringify(events)).events.map(({ headers }) => headers.offset)).deepEqual([
      3, 4,
    ]);
  });

  it("comes in batches, since each is one message", async () => {
    const many = range(1, 1_100).map((offset) => made({ offset, time: offset }));
    const sizes: number[] = [];
    const past = eventsOfFile({ channel: { id: ID, name: "" }, events: many });
    for await (const batch of past.batches) sizes.push(batch.length);
    should(sizes).deepEqual([500, 500, 100]);
  });

  it("says what is wrong with it", async () => {
    const refused = (text: string, problem: RegExp) =>
      should(() => parseEventFile(text)).throw(problem, { code: "EVENT_FILE_INVALID" });
    refused("{", /not JSON/);
    refused("null", /no list of events/);
    refused("{}", /no list of events/);
    refused('{"format": "other", "events": []}', /another format/);
    refused(
      '{"format": "crec-events", "version": 2, "events": []}',
      /written by a newer version.*record the events again/,
    );
    refused('{"channel": {"id": 5}, "events": []}', /"channel" must have .*Correct it/);
    for (const lists of ["{}", '{"networks": [], "wallets": [], "channels": [{}]}'])
      refused(`{"snapshot": ${lists}, "events": []}`, /"snapshot" must have .*remove the snapshot/);
    refused('{"verification": {}, "events": []}', /list "validSigners".*remove the verification/);
    refused('[{"headers": {"offset": 1}}, 5]', /Entry 2/);
    refused('[{"headers": {}}]', /Entry 1/);
    await should(readEventFile(join(folder, "none.json"))).be.rejectedWith(/Check its path/, {
      code: "EVENT_FILE_INVALID",
    });
    should(() => eventsOfFile(parseEventFile("[]"))).throw({ code: "NO_EVENTS_IN_SPAN" });
  });
});
