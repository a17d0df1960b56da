import should from "should";
import { NotFoundError } from "../../src/http/index.ts";
import { WatcherFamilies } from "../../src/resources/watcher-families.ts";
import { ID, notFound, OTHER_ID, type Reply, startFakeService } from "./support.ts";

const WATCHER = { watcher_id: OTHER_ID, channel_id: ID, status: "active", don_family: "zone-b" };

/** An id for each number. */
function watcherId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

describe("the oracle family of a watcher", () => {
  let service: Awaited<ReturnType<typeof startFakeService>>;
  const serve = async (reply: () => Reply) => {
    service = await startFakeService(reply);
    return service.client.watchers;
  };
  afterEach(() => service?.close());

  it("is asked for once, however often and in whatever case", async () => {
    const watchers = await serve(() => [200, WATCHER]);
    const ids = [OTHER_ID, OTHER_ID.toUpperCase(), OTHER_ID];
    const families = await Promise.all(ids.map((id) => watchers.familyOf(ID, id)));
    should([...families, await watchers.familyOf(ID.toUpperCase(), OTHER_ID)]).deepEqual(
      Array(4).fill("zone-b"),
    );
    should(service.calls()).deepEqual([`GET /channels/${ID}/watchers/${OTHER_ID}`]);
  });

  it("is unknown where the service refuses the id, where it names none, and without an id", async () => {
    const answers: Reply[] = [[400, { type: "VALIDATION_ERROR" }]];
    for (const don_family of [undefined, null, "", 7]) answers.push([200, { ...WATCHER, don_family }]);
    for (const answer of answers) {
      const watchers = await serve(() => answer);
      should(await watchers.familyOf(ID, OTHER_ID)).be.undefined();
      should(service.asked).have.length(1);
      await service.close();
    }
    const watchers = await serve(() => [200, WATCHER]);
    for (const id of ["", "w", "../../channels", `${OTHER_ID}0`]) {
      should(await watchers.familyOf(ID, id)).be.undefined();
    }
    should(service.asked).be.empty();
  });

  it("is an error while the service does not answer, and is looked up again", async () => {
    const answers: Reply[] = ["drop", [503, {}], [401, { type: "UNAUTHORIZED" }], [200, WATCHER]];
    const watchers = await serve(() => answers.shift() ?? "silence");
    for (const code of ["SERVICE_UNREACHABLE", "SERVICE_ERROR", "KEY_REFUSED"]) {
      await should(watchers.familyOf(ID, OTHER_ID)).be.rejectedWith({ code });
    }
    should(await watchers.familyOf(ID, OTHER_ID)).equal("zone-b");
  });

  it("is an error for 30 s while the watcher is not shown: another client may have just created it", async () => {
    const answers = [notFound("WATCHER_NOT_FOUND"), notFound("CHANNEL_NOT_FOUND"), notFound("NOT_FOUND")];
    const watchers = await serve(() => answers.shift() ?? [200, WATCHER]);
    for (let count = 0; count < 3; count += 1) {
      const looked = watchers.familyOf(ID, OTHER_ID);
      await should(looked).be.rejectedWith({ code: "WATCHER_NOT_FOUND", retryable: true });
    }
    should(await watchers.familyOf(ID, OTHER_ID)).equal("zone-b");
  });

  it("is unknown where a watcher is not shown for 30 s, and counted once", async () => {
    let [now, asked] = [0, 0];
    const families = new WatcherFamilies({
      get: async () => {
        asked += 1;
        throw new NotFoundError("WATCHER_NOT_FOUND", "unknown");
      },
      now: () => now,
    });
    for (now of [0, 10_000, 29_999])
      await should(families.of(ID, OTHER_ID)).be.rejectedWith({ code: "WATCHER_NOT_FOUND" });
    // Asked again a minute later, it needs no other 30 s.
    for (now of [30_000, 89_999, 90_000]) should(await families.of(ID, OTHER_ID)).be.undefined();
    should(asked).equal(5);
  });

  it("of a watcher that is not there is asked for again after a minute", async () => {
    let [now, asked] = [0, 0];
    const families = new WatcherFamilies({
      get: async () => {
        asked += 1;
        return {};
      },
      now: () => now,
    });
    for (const [time, times] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
    ] as const) {
      now = time;
      should(await families.of(ID, OTHER_ID)).be.undefined();
      should(asked).equal(times);
    }
  });

  it("is remembered of the thousand watchers asked for last", async () => {
    const asked: string[] = [];
    const families = new WatcherFamilies({
      get: async (_channelId, id) => {
        asked.push(id);
        return { don_family: `of ${id}` };
      },
    });
    for (let number = 0; number < 1_000; number += 1) await families.of(ID, watcherId(number));
    await families.of(ID, watcherId(0));
    should(asked).have.length(1_000);
    await families.of(ID, watcherId(1_000));
    should(await families.of(ID, watcherId(0))).equal(`of ${watcherId(0)}`);
    should(asked).have.length(1_001);
    await families.of(ID, watcherId(1));
    should(asked.at(-1)).equal(watcherId(1));
    should(asked).have.length(1_002);
  });
});
