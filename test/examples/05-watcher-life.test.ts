import should from "should";
import { RunningExample } from "../support/example.ts";

type Created = { watcherId: string; status: string; found: boolean };
type Seen = { name: string; params: { value: string }; confidence: string; transactionHash: string };

describe("the example watcher life", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("05-watcher-life");
  });
  after(() => flow?.close());

  it("creates a watcher once, reports its statuses and events, archives it, and then creates another one", async () => {
    const first = await flow.pressed<Created>("Create", "created");
    should(first).have.properties({ status: "active", found: false });
    should(flow.values("watcher status")).deepEqual(["pending", "active"]);
    const again = await flow.pressed<Created>("Create", "created");
    should(again).have.properties({ watcherId: first.watcherId, found: true });

    // Once, when its block is final.
    const arriving = flow.next<Seen>("transfers");
    const hash = await flow.pressed<string>("Move a token", "moved");
    const seen = await arriving;
    should(seen).have.properties({ name: "Transfer", confidence: "finalized", transactionHash: hash });
    should(seen.params.value).equal("1000000000000000000");
    const watcher = await flow.pressed("Get status", "current status");
    should(watcher).have.properties({ watcher_id: first.watcherId, status: "active" });

    const left = flow.next("remaining watchers");
    should(await flow.pressed("Archive", "archived")).equal("archived");
    should(await left).deepEqual([]);
    // The whole lifecycle from the channel.
    await flow.nodeRed.showing("status changes", (status) => status === "archived");
    should(flow.values("status changes")).deepEqual(["pending", "active", "archiving", "archived"]);

    const next = await flow.pressed<Created>("Create", "created");
    should(next).have.properties({ status: "active", found: false });
    should(next.watcherId).not.equal(first.watcherId);
    should(flow.values("error")).be.empty();
    should(flow.values("rejected")).be.empty();
  });
});
