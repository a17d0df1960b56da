import should from "should";
import { noteAddresses, recentAddresses } from "../../nodes/common/fields/recent-addresses.ts";
import { toMessage } from "../../nodes/common/messages/event-message.ts";
import type { DecodedEvent, VerifyResult } from "../../src/index.ts";
import { makeEvent } from "../consumer/simulation.ts";

const address = (number: number) => `0x${number.toString(16).padStart(40, "a")}`;
const transfer = (from: string, to: string) => ({
  name: "Transfer",
  chainSelector: "1",
  params: { from, to, value: "1" },
});

describe("recent addresses", () => {
  it("are those of the parameters of events, the newest first, each once", () => {
    noteAddresses(transfer(address(1), address(2)));
    noteAddresses(transfer(address(2).toUpperCase().replace("0X", "0x"), address(3)));
    const [first, second, third] = recentAddresses();
    should(first).deepEqual({ address: address(3), chainSelector: "1", parameter: "to", event: "Transfer" });
    should(second?.parameter).equal("from");
    should(third?.address).equal(address(1));
  });

  it("are not more than a person looks through, and not the address of nobody", () => {
    for (let number = 100; number < 200; number += 1) noteAddresses(transfer(address(0), address(number)));
    noteAddresses(transfer(`0x${"0".repeat(40)}`, "text"));
    should(recentAddresses()).have.length(30);
    should(recentAddresses()[0]?.address).equal(address(199));
  });

  it("are not those of an event whose proof failed", () => {
    const receive = (to: string, verification?: VerifyResult) => {
      const decodeEvent = () => transfer(address(1), to) as unknown as DecodedEvent;
      const decoding = { decodeEvent, dedupeKey: () => "key", EVENT_TYPES: ["watcher.event"] };
      const delivery = { offset: 1, redelivered: false, late: false, restored: false, attempt: 1 };
      const event = makeEvent(1, { type: "watcher.event" });
      toMessage(
        { ...delivery, event, ...(verification ? { verification } : {}) },
        { channelId: "c" },
        decoding,
      );
    };
    receive(address(300));
    receive(address(301), { verified: true, signers: [], workflowId: "" });
    receive(address(302), { verified: false, reason: "event_hash_mismatch", message: "Changed." });
    should(recentAddresses()[0]?.address).equal(address(301));
  });

  it("ignore what has no parameters", () => {
    const before = recentAddresses();
    for (const odd of [{}, { name: "A" }, { name: "A", params: null }, { name: 1, params: {} }])
      noteAddresses(odd);
    should(recentAddresses()).deepEqual(before);
  });
});
