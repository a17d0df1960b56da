import should from "should";
import { operationNote } from "../../../src/signing/custody/fireblocks-requests.ts";
import { operationTypedData } from "../../../src/signing/index.ts";

const account = "0x1111111111111111111111111111111111111111";
const to = "0x2222222222222222222222222222222222222222";
const transfer = { to, value: "0", data: `0xa9059cbb${"00".repeat(64)}` };

function noteOf(operation: { deadline?: string; transactions: Array<typeof transfer> }): string {
  return operationNote(operationTypedData({ id: "7", account, deadline: "0", ...operation }, 31337));
}

describe("what people who approve a signature read", () => {
  const start = `Operation 7 of wallet ${account} on chain 31337`;

  it("names the calls and what they pay", () => {
    const transactions = [transfer, { to, value: "5", data: "0x" }];
    should(noteOf({ transactions })).equal(
      `${start}, without a deadline: call 0xa9059cbb of ${to}; send to ${to} with 5 wei`,
    );
  });

  it("counts the calls after the third", () => {
    should(noteOf({ transactions: Array.from({ length: 16 }, () => transfer) })).match(/; 13 more$/);
  });

  it("says until when", () => {
    const transactions = [transfer];
    const called = `: call 0xa9059cbb of ${to}`;
    should(noteOf({ transactions, deadline: "1800000000" })).equal(
      `${start}, until 2027-01-15T08:00:00Z${called}`,
    );
    const never = String(2n ** 256n - 1n);
    should(noteOf({ transactions, deadline: never })).equal(`${start}, until ${never}${called}`);
  });
});
