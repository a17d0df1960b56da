import should from "should";
import { leaseOfMessage } from "../../nodes/common/fleet/held-leases.ts";

describe("the lease of a message", () => {
  const of = (epoch: unknown) => leaseOfMessage({ crec: { consumer: "a", channelId: "b", epoch } } as never);

  it("is that with which its event was handed over", () => {
    should(of(7)).deepEqual({ key: "a@b", epoch: 7 });
    should(of(undefined)).be.undefined();
  });

  it("is one that nobody has where the flow changed its epoch to what no engine takes", () => {
    for (const epoch of [1e300, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) should(of(epoch)?.epoch).equal(0);
  });
});
