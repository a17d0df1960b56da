import should from "should";
import { eventNames } from "../../nodes/common/contracts/event-names.ts";

const TRANSFER = "Transfer(address,address,uint256)";

describe("names of events in a form", () => {
  it("may be copied from an ABI, and are refused when they are not names of events", async () => {
    const names: Record<string, string> = {
      Transfer: "Transfer",
      "a.service.Event": "a.service.Event",
      "Transfer(address, address, uint)": TRANSFER,
      "Transfer(address indexed from, address indexed to, uint256 value)": TRANSFER,
      "event Transfer(address indexed from, address indexed to, uint256 value);": TRANSFER,
      "Filled((address maker, uint256[] amounts)[] orders)": "Filled((address,uint256[])[])",
    };
    should(await eventNames(Object.keys(names), "Events")).deepEqual(Object.values(names));
    for (const none of [
      "Transfer address",
      "Transfer(",
      "Transfer(adress)",
      "Transfer(address indexed from, …)",
    ]) {
      await should(eventNames(["Transfer", none], "Events")).be.rejectedWith({
        code: "INVALID_FIELD",
        message: new RegExp(none.replace(/[()]/g, "\\$&")),
      });
    }
  });
});
