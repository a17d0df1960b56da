import should from "should";
import { type DecodedWatcherEvent, decodeEvent, dedupeKey, verifyEvent } from "../../src/proofs/index.ts";
import { readSignedEvent, readSignedPayload } from "../../src/proofs/signed-event.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { caseNamed, ownConfig, signedEvent, toSignedText } from "./fixtures.ts";

const SIGNED = {
  name: "Paid",
  chain_event: { chain_id: "1", params: { to: "a", items: [{ amount: "1" }] } },
  data: { note: "first" },
};

describe("the signed text of an event", () => {
  let event: EventEnvelope;

  beforeEach(() => {
    event = signedEvent("watcher.event", SIGNED, { watcher_id: "w", chain_selector: "5009297550715157269" });
  });

  it("is parsed once, for all that read the event", async () => {
    const { content } = readSignedEvent(event);
    should(content).have.property("name", "Paid");
    await verifyEvent(event, ownConfig);
    decodeEvent(event);
    dedupeKey(event);
    should(readSignedEvent(event).content).equal(content);
    should(readSignedEvent({ ...event, event_id: "another" }).content).equal(content);
  });

  it("is parsed once for a query and its event", () => {
    const { payload } = caseNamed("query.status completed").event;
    const { content } = readSignedPayload("query.status", payload);
    should(content).be.an.Object();
    should(readSignedEvent({ headers: { type: "query.status" }, payload }).content).equal(content);
  });

  it("is parsed again when the event was changed", () => {
    should(decodeEvent(event)).have.property("name", "Paid");
    event.payload.verifiable_event = toSignedText({ ...SIGNED, name: "Stolen" });
    should(decodeEvent(event)).have.property("name", "Stolen");
    event.payload.verifiable_event = "e30";
    should(() => decodeEvent(event)).throw({ code: "MALFORMED_EVENT" });
  });

  it("is that of the present text, also when another text of the same length was read before", async () => {
    const text = event.payload.verifiable_event;
    const other = toSignedText({ ...SIGNED, name: "Pald" });
    should(other).have.length(String(text).length);
    for (const [given, name, verified] of [
      [text, "Paid", true],
      [other, "Pald", false],
      [text, "Paid", true],
    ] as const) {
      event.payload.verifiable_event = given;
      should((await verifyEvent(event, ownConfig)).verified).equal(verified);
      should(decodeEvent(event)).have.property("name", name);
    }
  });

  it("is read once for a check, so that a getter cannot show another one than it verifies", async () => {
    const text = event.payload.verifiable_event;
    const other = toSignedText({ ...SIGNED, name: "Stolen" });
    for (const isSignedFirst of [true, false]) {
      let reads = 0;
      const payload = Object.defineProperty({ ...event.payload }, "verifiable_event", {
        enumerable: true,
        get: () => {
          reads += 1;
          return (reads === 1) === isSignedFirst ? text : other;
        },
      });
      const { verified } = await verifyEvent({ ...event, payload }, ownConfig);
      should({ verified, reads }).deepEqual({ verified: isSignedFirst, reads: 1 });
    }
  });

  it("depends on the type, where two events share a payload", () => {
    const { payload: answer } = caseNamed("query.status completed").event;
    const payload = { ...event.payload, ...answer, verifiable_event: event.payload.verifiable_event };
    const nameAs = (type: string) => readSignedEvent({ headers: { type }, payload }).content?.name;
    should(["watcher.event", "query.status", "watcher.event", "watcher.status"].map(nameAs)).deepEqual([
      "Paid",
      "ChainQuery",
      "Paid",
      undefined,
    ]);
  });

  it("stays as it is when a decoded event is changed", () => {
    const first = decodeEvent(event) as DecodedWatcherEvent;
    (first.params.items as Array<{ amount: string }>)[0] = { amount: "2" };
    first.params.to = "b";
    Object.assign(first.data as object, { note: "changed" });
    should(decodeEvent(event)).match({
      params: { to: "a", items: [{ amount: "1" }] },
      data: { note: "first" },
    });
  });

  it("keeps a parameter named __proto__ as a value", () => {
    const json =
      '{"name":"Paid","chain_event":{"chain_id":"1","params":{"__proto__":{"a":1}}},"data":{"__proto__":"x"}}';
    const { params, data } = decodeEvent(
      signedEvent("watcher.event", json, { watcher_id: "w", chain_selector: "5009297550715157269" }),
    ) as DecodedWatcherEvent;
    should(Object.keys(params)).deepEqual(["__proto__"]);
    should(Object.getPrototypeOf(params)).equal(Object.prototype);
    should(Object.keys(data as object)).deepEqual(["__proto__"]);
  });
});
