import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import { itWide, needsCoreTests } from "../support/wide.ts";

type Operations = { data: Array<{ status: string }> };

describe("the example pause guardian", function () {
  needsCoreTests(this);
  this.timeout(180_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("17-pause-guardian", { alone: true });
  });
  after(() => example?.close());

  const call = (body: object) => example.flow.call("POST", "/local/guarded-token", body);
  /** Of the guardian's wallet: each is one pause, or an attempt at one. */
  const operations = async () => {
    const channel = await example.flow.channelId();
    return (await example.flow.call<Operations>("GET", `/channels/${channel}/operations`)).data;
  };
  const texts = () => example.told.map(({ title }) => title);

  it("does nothing about what is known, and pauses the contract once for a role for an unknown account", async () => {
    // Does nothing about a role for a known account, and a small mint.
    await example.flow.pressed("Make it guardian", "guardian");
    await example.flow.press("Mint 10 tokens");
    // Both at two levels.
    await example.skipped(4);
    should(example.flow.values("skipped")).matchEach("no_match");
    should(example.told).be.empty();
    should(await operations()).be.empty();

    // Pauses the contract for a role for an unknown account, and tells a person before and after.
    const told = await example.pressed("Role for a stranger");
    should(told).match(/^Paused: Role for an unknown account: The contract is paused now\./);
    should(told).match(/0x0{37}E17 was given the role 0x9f2d\w+ of guarded token \(.*\) by 0x\w{40}$/i);
    should(texts()).deepEqual([
      "Pausing now: Role for an unknown account",
      "Paused: Role for an unknown account",
    ]);
    await call({ action: "transfer", to: `0x${"1".repeat(40)}`, amount: "1" }).should.be.rejectedWith(
      /EnforcedPause/,
    );

    // Does not pause it again when the same log is final.
    await example.skipped(5);
    should(await operations()).have.length(1);
    should(example.told).have.length(2);
  });

  itWide("pauses once for an event that is sent again, also after a crash of Node-RED", async () => {
    await example.flow.pressed("Unpause", "done");
    example.outlet.answer = 503;
    await example.flow.press("Mint 60,000 tokens");
    // Before and after, and both again.
    await example.outlet.receiving(4, ({ answered }) => answered === 503);
    await example.flow.restart();
    const told = example.flow.next<string>("told");
    example.outlet.answer = 200;
    should(await told).match(
      /^Paused: Large mint: .* 60000 tokens of guarded token \(.*\) were minted to 0x/,
    );
    should((await operations()).map(({ status }) => status)).matchEach(/^confirmed/);
    should(await operations()).have.length(2);
  });

  itWide("says so when the contract is paused already", async () => {
    await example.flow.pressed("Revoke the role", "done");
    should(await example.pressed("Role for a stranger", "Paused already")).match(
      /^Paused already: Role for an unknown account: The contract was paused already\./,
    );
  });

  itWide("tells a person to pause it by hand when the wallet may not", async () => {
    const { data } = await example.flow.call<{ data: [{ address: string }] }>("GET", "/wallets");
    await call({ action: "revokeRole", role: "GUARDIAN_ROLE", to: data[0].address });
    await example.flow.pressed("Unpause", "done");
    await example.flow.pressed("Revoke the role", "done");
    const told = await example.pressed("Role for a stranger", "NOT paused");
    should(told).match(/^NOT paused: Role for an unknown account: .* pause it by hand\. .*MissingRole/);
    should(example.told.at(-1)).have.property("severity", "critical");
  });

  itWide("tells a person of an event that cannot be judged", async () => {
    await example.flow.pressed("Revoke the role", "done");
    const flows = example.flow.flows.map((node) =>
      node.type === "tab" ? { ...node, env: [{ name: "KNOWN_ACCOUNTS", value: "0x17", type: "str" }] } : node,
    );
    await example.flow.deploy(flows);
    await example.reading();
    should(await example.pressed("Role for a stranger", "Event not")).match(
      /^Event not checked: RoleGranted: .+/,
    );
  });

  itWide("reported no other error", () => {
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});
