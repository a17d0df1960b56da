import should from "should";
import { rejectedUnwired } from "../../../plugins/monitor/issues/checks/flows.ts";
import { foundIn, node, TAB } from "./scene.ts";

const find = (type: string, properties: Record<string, unknown>) =>
  foundIn(rejectedUnwired, { nodes: [TAB, node("debug", "end"), node(type, "node", properties)] });
const wires = [["end"], [], []];

describe("the check for rejected events that nothing gets", () => {
  it("finds verify event and events in with nothing behind their second output", async () => {
    should(await find("crec-verify-event", { wires })).deepEqual(["verify-event node"]);
    should(await find("crec-events-in", { wires, verify: true })).deepEqual(["events-in node"]);
    should(await find("crec-events-in", { wires })).deepEqual(["events-in node"]);
  });

  it("finds nothing where something is behind it", async () => {
    should(await find("crec-verify-event", { wires: [["end"], ["end"], []] })).be.empty();
    should(await find("crec-events-in", { wires: [["end"], ["end"], []] })).be.empty();
  });

  it("finds nothing where the form drops or acknowledges them, or nothing is verified", async () => {
    should(await find("crec-events-in", { wires, unverified: "drop" })).be.empty();
    should(await find("crec-events-in", { wires, commit: "on-ack", ackRejected: true })).be.empty();
    should(await find("crec-events-in", { wires, verify: false })).be.empty();
  });

  it("finds one whose tick in the form is hidden, so that it does not count", async () => {
    should(await find("crec-events-in", { wires, commit: "on-send", ackRejected: true })).have.length(1);
  });
});
