import { EventEmitter } from "node:events";
import { mock } from "node:test";
import should from "should";
import type { ReaderState } from "../../nodes/events-in/status/reader-state.ts";
import { showState } from "../../nodes/events-in/status/status.ts";

type Status = { text: string };

/** A node of events in whose next attempt is `inMs` away. */
function waiting(kind: "retrying" | "beyond_end", inMs: number) {
  const events = new EventEmitter();
  const [statuses, inEditor]: [string[], string[]] = [[], []];
  events.on("node-status", ({ status }: { status: Status }) => inEditor.push(status.text));
  const RED = { events, _: (key: string, values: object) => `${key} ${JSON.stringify(values)}` };
  const node = { id: "reader", status: ({ text }: Status) => statuses.push(text) };
  const context = { RED, node, t: RED._ } as unknown as Parameters<typeof showState>[0];
  const error = Object.assign(new Error("The service is down."), { code: "SERVICE_UNREACHABLE" });
  const reader = { consumer: { state: { kind, inMs, error } }, outputs: {}, started: undefined };
  const show = () => showState(context, { kind: "reader", reader } as unknown as ReaderState);
  const secondsIn = (texts: string[]) => texts.map((text) => Number(/"seconds":(\d+)/.exec(text)?.[1]));
  return { show, statuses: () => secondsIn(statuses), inEditor: () => secondsIn(inEditor) };
}

describe("the status of events in while it waits for its next attempt", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval"] }));
  afterEach(() => mock.timers.reset());

  for (const kind of ["retrying", "beyond_end"] as const) {
    it(`counts down each second: ${kind}`, () => {
      const { show, statuses, inEditor } = waiting(kind, 4_000);
      show();
      mock.timers.tick(10_000);
      should(inEditor()).deepEqual([3, 2, 1]);
      // A flow with a status node is told once.
      should(statuses()).deepEqual([4]);
    });
  }

  it("stops when it is told to, as by a deploy", () => {
    const { show, inEditor } = waiting("retrying", 30_000);
    const stop = show();
    mock.timers.tick(2_000);
    stop();
    mock.timers.tick(10_000);
    should(inEditor()).deepEqual([29, 28]);
  });
});
