import should from "should";
import { nodeError } from "../../nodes/common/shared/errors.ts";
import { PositionStore } from "../../nodes/events-in/status/reader-activity.ts";
import {
  readerState,
  reportedState,
  type ShownReader,
  type Standing,
} from "../../nodes/events-in/status/reader-state.ts";
import { type ConsumerState, CrecError, MemoryCursorStore } from "../../src/index.ts";

const NOTHING: Standing = {
  ...{ taken: undefined, folder: undefined, lease: undefined, reader: undefined, waitsFor: undefined },
};
const HOLDER = { copy: { id: "1", name: "other" }, epoch: 4, renewedMsAgo: 10 };
const CONNECTED = {
  kind: "connected" as const,
  ...{ delivered: 1, waitingForAcks: 0, late: 0, skipped: 0, filtered: 0 },
};

describe("the state of a reader in its report", () => {
  const state = ({ consumer, ...standing }: Partial<Standing> & { consumer?: ConsumerState }) => {
    const reader = consumer && ({ consumer: { state: consumer } } as ShownReader);
    return reportedState(readerState({ ...NOTHING, ...standing, reader }));
  };
  const error = (code: string) => new CrecError(code, "What to do.");
  const problem = (code: string) => ({ code, message: "What to do." });

  it("is standby where another process or copy reads", () => {
    const elsewhere = { kind: "elsewhere", holder: undefined, isAlive: true, lost: false } as const;
    should(state({ folder: elsewhere })).deepEqual({ state: "standby" });
    should(state({ lease: { kind: "elsewhere", holder: HOLDER } })).deepEqual({ state: "standby" });
    should(state({ lease: { kind: "waiting_for_share", share: 2, copies: 3 } })).deepEqual({
      state: "standby",
    });
  });

  it("is behind as long as events are still to come", () => {
    should(state({ consumer: { ...CONNECTED, behind: 3 } })).deepEqual({ state: "behind" });
    should(state({ consumer: { ...CONNECTED, behind: 0 } })).deepEqual({ state: "reading" });
    should(state({ consumer: { ...CONNECTED, behind: undefined } })).deepEqual({ state: "reading" });
  });

  it("has the problem of the consumer", () => {
    should(state({ consumer: { kind: "retrying", inMs: 1, error: error("TIMEOUT") } })).deepEqual({
      ...{ state: "retrying", problem: problem("TIMEOUT") },
    });
    should(state({ consumer: { kind: "refused", error: error("KEY_REFUSED") } }).state).equal("refused");
    should(state({ consumer: { kind: "stopped", error: error("CURSOR_LOST") } })).deepEqual({
      ...{ state: "stopped", problem: problem("CURSOR_LOST") },
    });
    const missing = error("WATCHER_NOT_FOUND");
    should(state({ consumer: { kind: "retrying", inMs: 1, error: missing } }).state).equal("waiting");
  });

  it("has what the node waits for before it reads", () => {
    const of = (kind: NonNullable<Standing["waitsFor"]>["kind"]) =>
      state({ waitsFor: { error: nodeError("SOME_CODE", "What to do."), kind } }).state;
    should(["missing", "retry", "refused", "final", "given-up"].map((kind) => of(kind as "retry"))).deepEqual(
      [...["waiting", "retrying", "refused", "stopped", "stopped"]],
    );
    should(state({})).deepEqual({ state: "waiting" });
  });
});

describe("the position of a reader", () => {
  it("is what was loaded or saved last, without a look at the store", async () => {
    const identity = { consumer: "one", channelId: "c", service: "s" };
    const cursorAt = (cursor: number) => ({
      ...{ version: 1, identity, cursor, floor: -1, handedOut: cursor, delivered: [] },
    });
    const store = new MemoryCursorStore();
    await store.save(cursorAt(4) as never);
    const positions = new PositionStore(store);
    should(positions.position).be.undefined();
    await positions.load();
    should(positions.position).equal(4);
    await positions.save(cursorAt(9) as never);
    should(positions.position).equal(9);
    await positions.save(cursorAt(-1) as never);
    should(positions.position).be.undefined();
  });
});
