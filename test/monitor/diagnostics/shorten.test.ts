import should from "should";
import { type Diagnostics, diagnosticsText, shorten } from "../../../plugins/monitor/diagnostics/report.ts";

const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ node: `node #${index}` }));

function diagnostics(lists: Partial<Diagnostics>): Diagnostics {
  return {
    madeAt: "2026-01-31T12:00:00.000Z",
    versions: { package: "1.0.0", nodeRed: "5.0.0", node: "24.0.0", os: "linux x64", host: "machine" },
    stateFolder: { chosenBy: "default", isUserDirectory: true, access: "writable" },
    health: { status: "ok", reasons: "", monitoring: "off" },
    ...{ issues: [], errors: [], connections: [], readers: [], operationsUnderWay: [], operationsEnded: [] },
    ...{ watchers: [], wallets: [], events: [], nodes: [], leftOut: {} },
    ...lists,
  };
}

describe("diagnostics that are long", () => {
  it("are shortened where they are longest, and say what was left out", () => {
    const whole = diagnostics({ readers: entries(20_000), errors: entries(3), events: entries(400) });
    const shorter = shorten(whole, 10_000);
    should(JSON.stringify(shorter).length).be.belowOrEqual(10_000);
    should(shorter.errors.length).equal(3);
    should(shorter.readers.length).be.above(50);
    should(shorter.leftOut.readers).equal(20_000 - shorter.readers.length);
    should(shorter.leftOut.errors).equal(undefined);
    should(whole.readers.length).equal(20_000);
  });

  it("stay whole if they are short", () => {
    const whole = diagnostics({ readers: entries(10) });
    should(shorten(whole, 200_000)).deepEqual(whole);
  });
});

describe("diagnostics as text", () => {
  it("have one line for each entry", () => {
    const text = diagnosticsText(
      diagnostics({
        nodes: [{ label: "ack #1", settings: { action: "retry" }, status: { color: "red", text: "failed" } }],
        leftOut: { events: 7 },
      }),
    );
    should(text).startWith("CRE Connect diagnostics, 2026-01-31T12:00:00.000Z\n");
    should(text).containEql("\nVersions\n- package: 1.0.0\n");
    should(text).containEql("\nOperations under way\n- nothing\n");
    should(text).containEql(
      "- label: ack #1, settings.action: retry, status.color: red, status.text: failed\n",
    );
    should(text).containEql("\nLeft out\n- events: 7\n");
  });
});
