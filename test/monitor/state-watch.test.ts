import { mock } from "node:test";
import should from "should";
import { nodeError } from "../../nodes/common/shared/errors.ts";
import { StateWatch } from "../../nodes/common/status/state-watch.ts";
import { ReaderActivity } from "../../nodes/events-in/status/reader-activity.ts";
import type { Standing } from "../../nodes/events-in/status/reader-state.ts";
import { CrecError, type LeaseState, MemorySharedState, type SharedState } from "../../src/index.ts";

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const refused = new CrecError("SHARED_STATE_REFUSED", "The password is wrong.");
const unreachable = new CrecError("SHARED_STATE_UNREACHABLE", "It gives no answer.");

const stopTime = () => mock.timers.enable({ apis: ["setInterval", "Date"], now: NOW });

describe("the watch over a shared state", () => {
  afterEach(() => mock.timers.reset());

  /** A state whose calls fail with an error, as long as there is one. */
  function watchedState(error?: CrecError) {
    stopTime();
    const state = { asked: 0, error };
    const memory = new MemorySharedState();
    const shared: SharedState = Object.assign(Object.create(memory) as MemorySharedState, {
      recordKeys: async () => {
        state.asked += 1;
        if (state.error) throw state.error;
        return [];
      },
      readRecord: async () => {
        if (state.error) throw state.error;
        return undefined;
      },
      close: async () => {},
    });
    return { state, watch: new StateWatch(shared, false) };
  }
  const told = () => new Promise((resolve) => setImmediate(resolve));

  it("asks when it begins, and knows a problem from the start on", async () => {
    const { watch } = watchedState(refused);
    await told();
    const problem = { code: "SHARED_STATE_REFUSED", message: "The password is wrong." };
    should(watch.report()).deepEqual({ problem, problemSince: 0 });
  });

  it("knows since when there is a problem where it has answered before, until it answers again", async () => {
    const { state, watch } = watchedState();
    await told();
    should(watch.report()).deepEqual({});
    mock.timers.tick(MINUTE_MS);
    state.error = refused;
    await should(watch.shared.readRecord("s", "k")).be.rejectedWith(refused);
    mock.timers.tick(MINUTE_MS);
    await should(watch.shared.readRecord("s", "k")).be.rejectedWith(refused);
    should(watch.report().problemSince).equal(NOW + MINUTE_MS);
    state.error = unreachable;
    await should(watch.shared.readRecord("s", "k")).be.rejectedWith(unreachable);
    should(watch.report()).match({ problem: { code: unreachable.code }, problemSince: NOW + 2 * MINUTE_MS });
    state.error = undefined;
    should(await watch.shared.readRecord("s", "k")).be.undefined();
    should(watch.report()).deepEqual({});
  });

  it("takes an error of one record as an answer, and a closed state as none", async () => {
    const { state, watch } = watchedState(refused);
    await told();
    state.error = new CrecError("SHARED_STATE_CLOSED", "It was closed.");
    await should(watch.shared.readRecord("s", "k")).be.rejectedWith(state.error);
    should(watch.report().problem?.code).equal("SHARED_STATE_REFUSED");
    state.error = new CrecError("SHARED_RECORD_DAMAGED", "It is damaged.");
    await should(watch.shared.readRecord("s", "k")).be.rejectedWith(state.error);
    should(watch.report()).deepEqual({});
  });

  it("asks again where nobody else does, until it is closed", async () => {
    const { state, watch } = watchedState();
    await told();
    mock.timers.tick(15_000);
    should(state.asked).equal(2);
    await told();
    mock.timers.tick(10_000);
    await watch.shared.readRecord("s", "k");
    mock.timers.tick(5_000);
    should(state.asked).equal(2);
    await watch.shared.close();
    mock.timers.tick(MINUTE_MS);
    should(state.asked).equal(2);
  });
});

describe("the time since which a reader has a problem", () => {
  afterEach(() => mock.timers.reset());

  const nothing: Omit<Standing, "consumer" | "waitsFor"> & { reader: undefined } = {
    ...{ taken: undefined, folder: undefined, lease: undefined, reader: undefined },
  };
  const holder = { copy: { id: "1", name: "other" }, epoch: 4, renewedMsAgo: 10 };
  function begun() {
    stopTime();
    const origin = { node: "n", flow: "f", type: "crec-events-in", label: "events in" };
    const activity = new ReaderActivity(origin, "one", () => "channel");
    const become = (lease: LeaseState) => activity.look({ ...nothing, lease });
    const since = () =>
      activity.report({ ...nothing, lease: { kind: "error", error: refused } }).problemSince;
    return { activity, become, since };
  }

  it("is its start where it has never worked", () => {
    const { become, since } = begun();
    become({ kind: "looking" });
    mock.timers.tick(MINUTE_MS);
    should(since()).equal(0);
  });

  it("is when it began where it has worked, also as a standby, and is the same after a wait", () => {
    const { activity, become, since } = begun();
    become({ kind: "elsewhere", holder });
    mock.timers.tick(MINUTE_MS);
    become({ kind: "error", error: refused });
    mock.timers.tick(MINUTE_MS);
    become({ kind: "looking" });
    should(since()).equal(NOW + MINUTE_MS);
    const looking = activity.report({ ...nothing, lease: { kind: "looking" } });
    should(looking).not.have.property("problemSince");
    become({ kind: "elsewhere", holder });
    should(since()).equal(NOW + 2 * MINUTE_MS);
  });

  it("is another one for another problem", () => {
    const { activity, become, since } = begun();
    become({ kind: "elsewhere", holder });
    const taken = nodeError("CONSUMER_NAME_TAKEN", "Give it another name.");
    should(activity.report({ ...nothing, taken }).problemSince).equal(NOW);
    mock.timers.tick(MINUTE_MS);
    should(since()).equal(NOW + MINUTE_MS);
  });
});
