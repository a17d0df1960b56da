import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { EventConsumer, eventSource } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import { PageSize } from "../../src/paging/index.ts";
import { CrecClient } from "../../src/resources/index.ts";
import { stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { MemoryCursorStore } from "../../src/storage/index.ts";
import { IDENTITY, makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

describe("PageSize", () => {
  it("is halved down to one, and grows again", () => {
    const size = new PageSize(200);
    const shrunk = range(1, 9).map(() => (size.failed() ? size.limit : "no more"));
    should(shrunk).eql([100, 50, 25, 12, 6, 3, 1, "no more", "no more"]);
    const grown = range(1, 9).map(() => {
      size.succeeded();
      return size.limit;
    });
    should(grown).eql([2, 4, 8, 16, 32, 64, 128, 200, 200]);
  });

  it("tries more less and less often where that was too much before", () => {
    const size = new PageSize(100);
    const fits = 30;
    const failures: number[] = [];
    for (let page = 0; page < 400; page += 1) {
      if (size.limit <= fits) size.succeeded();
      else {
        size.failed();
        failures.push(page);
      }
    }
    should(failures.slice(0, 3)).eql([0, 1, 3]);
    should(failures.length).be.belowOrEqual(12);
  });
});

/** Fails where more events are asked for at an offset than fit. */
const failing = (channel: SimulatedChannel, fits: (offset: number) => number, code: string) => ({
  get: (eventId: string) => channel.get(eventId),
  poll: async (params: { offset?: number; limit: number }) => {
    const page = await channel.poll(params);
    const isTooMuch = page.events.some(({ headers }) => page.events.length > fits(headers.offset));
    if (isTooMuch) throw new CrecError(code, "too much", { retryable: true });
    return page;
  },
});

describe("Pages that are too much", () => {
  for (const inclusive of [true, false]) {
    for (const fits of [1, 2, 7]) {
      for (const code of ["RESPONSE_TOO_LARGE", "TIMEOUT"]) {
        it(`are halved until they come (${code}, ${fits} fit, ${inclusive ? "inclusive" : "exclusive"})`, async () => {
          const channel = new SimulatedChannel({ inclusive });
          channel.publish(...range(1, 60).map((offset) => makeEvent(offset)));
          const { clock, make, end, offsets } = simulate({ source: failing(channel, () => fits, code) });
          const consumer = make();
          consumer.start();
          await clock.until(() => offsets().length === 60);
          channel.publish(makeEvent(61));
          await clock.until(() => offsets().length === 61);
          should(offsets()).eql(range(1, 61));
          await end(consumer);
        });
      }
    }
  }

  it("name the offset of an event that is too large alone, and continue when it can be read", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 50).map((offset) => makeEvent(offset)));
    let large = 31;
    const fits = (offset: number) => (offset === large ? 0 : 200);
    const source = failing(channel, fits, "RESPONSE_TOO_LARGE");
    const { clock, make, end, offsets, errors } = simulate({ source });
    const consumer = make();
    consumer.start();
    await clock.pass(300_000);
    should(offsets()).eql(range(1, 30));
    should(errors.map(({ code }) => code)).eql(["EVENT_TOO_LARGE"]);
    should(errors[0]?.message).match(/after offset 30 /);
    large = 0;
    await clock.pass(120_000);
    should(offsets()).eql(range(1, 50));
    await end(consumer);
  });
});

describe("An event that is too large by itself", () => {
  for (const inclusive of [true, false]) {
    const name = inclusive ? "inclusive" : "exclusive";
    const world = (large: number, start?: { offset: number }) => {
      const channel = new SimulatedChannel({ inclusive });
      channel.publish(...range(1, 50).map((offset) => makeEvent(offset)));
      const fits = (offset: number) => (offset === large ? 0 : 200);
      const source = failing(channel, fits, "RESPONSE_TOO_LARGE");
      return simulate({ source, ...(start ? { start } : {}) });
    };

    it(`does not hold up those before it, also after a restart (${name})`, async () => {
      const { clock, make, end, offsets, disk } = world(50);
      disk.stored = { ...stateFrom(IDENTITY, 11), delivered: [[10, "event-10"]] };
      const consumer = make();
      consumer.start();
      await clock.until(() => offsets().includes(49));
      should(offsets()).eql(range(11, 49));
      await end(consumer);
    });

    it(`is reported when it is the newest and the direction of pages is unknown (${name})`, async () => {
      const channel = new SimulatedChannel({ inclusive, direction: "down" });
      channel.publish(...range(1, 51).map((offset) => makeEvent(offset)));
      const source = failing(channel, (offset) => (offset === 51 ? 0 : 200), "RESPONSE_TOO_LARGE");
      const { clock, make, end, errors, disk } = simulate({ source });
      disk.stored = { ...stateFrom(IDENTITY, 11), delivered: [[10, "event-10"]] };
      const consumer = make();
      consumer.start();
      await clock.pass(300_000);
      await end(consumer);
      should([...new Set(errors.map(({ code }) => code))]).eql(["EVENT_TOO_LARGE"]);
    });

    it(`can be passed over by going on behind it (${name})`, async () => {
      const { clock, make, end, offsets } = world(30, { offset: 31 });
      const consumer = make();
      consumer.start();
      await clock.until(() => offsets().includes(50));
      should(offsets()).eql(range(31, 50));
      await end(consumer);
    });
  }
});

describe("A link of 64 kbit/s", function () {
  this.timeout(60_000);

  it("gets events of 3 kB each through, page by page", async () => {
    const COUNT = 8;
    const BYTES_AT_ONCE = 800;
    const KBIT_PER_S = 64;
    const events = range(1, COUNT).map((offset) => ({
      ...makeEvent(offset),
      payload: { status: "active", data: "x".repeat(3_000) },
    }));
    const server = createServer(async (request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://localhost");
      const [limit, offset] = [Number(searchParams.get("limit")), searchParams.get("offset")];
      const from = offset === null ? Math.max(0, COUNT - limit) : Math.max(0, Number(offset) - 1);
      const body = { events: events.slice(from, from + limit), has_more: from + limit < COUNT };
      const text = JSON.stringify(body);
      response.writeHead(200, { "content-type": "application/json" });
      // biome-ignore lint/plugin: the pace of the link
      for (let at = 0; at < text.length && !response.destroyed; at += BYTES_AT_ONCE) {
        response.write(text.slice(at, at + BYTES_AT_ONCE));
        await sleep((BYTES_AT_ONCE * 8) / KBIT_PER_S);
      }
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const client = new CrecClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: "test",
      timeoutMs: 2_000,
      maxAttempts: 1,
    });
    const arrived = Promise.withResolvers<void>();
    const offsets: number[] = [];
    const channelId = "00000000-0000-4000-8000-00000000c4a1";
    const consumer = new EventConsumer({
      source: eventSource(client.events, channelId),
      store: new MemoryCursorStore(),
      identity: { ...IDENTITY, consumer: "slow link" },
      start: "beginning",
      pageLimit: COUNT,
      deliver: ({ offset }) => {
        offsets.push(offset);
        if (offset === COUNT) arrived.resolve();
      },
    });
    try {
      consumer.start();
      await arrived.promise;
      should(offsets).eql(range(1, COUNT));
    } finally {
      await consumer.stop();
      await client.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
