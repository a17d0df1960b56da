import should from "should";
import { AlertExample } from "../support/alert-example.ts";

const STRANGER = "0x0000…0D13";

describe("the example alert on a new owner or a changed role", function () {
  this.timeout(120_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("13-ownership-or-role-changed");
  });
  after(() => example?.close());

  it("tells of a new owner, with both addresses", async () => {
    should(await example.pressed("New owner")).match(
      /^New owner of guarded token.*: .*0x0000…0D13.* is the owner now, before it was 0x[0-9a-f]{4}…/i,
    );
    const [told] = example.told;
    should(told).have.properties({ severity: "critical", title: "New owner of guarded token" });
    should(told?.id).be.a.String().and.not.be.empty();
  });

  it("tells of a role that is granted or revoked, by the name of the role", async () => {
    should(await example.pressed("Grant a role"))
      .containEql("RoleGranted: MINTER_ROLE of ")
      .and.containEql(STRANGER);
    should(await example.pressed("Revoke the role"))
      .containEql("RoleRevoked: MINTER_ROLE of ")
      .and.containEql(STRANGER);
  });

  it("tells nothing again when the same logs are reported as final", async () => {
    await example.final(3);
    should(example.told).have.length(3);
  });

  it("sends the same message again while the outlet refuses it", async () => {
    example.outlet.answer = 503;
    const told = example.flow.next<string>("told");
    await example.flow.press("Grant a role");
    await example.outlet.receiving(2, ({ answered }) => answered === 503);
    example.outlet.answer = 200;
    should(await told).containEql("RoleGranted");
    const refused = example.outlet.received().filter(({ answered }) => answered === 503);
    const ids = [...refused, ...example.outlet.received().slice(-1)].map(
      ({ headers }) => headers["webhook-id"],
    );
    should(new Set(ids).size).equal(1);
    should(example.told).have.length(4);
  });

  it("tells the same people when a reorganization undoes what they were told", async () => {
    // Blocks that are not final yet: the test waits for none of them.
    await example.flow.call("POST", "/local/speed", { blockTimeMs: 1000 });
    const before = example.told.length;
    await example.pressed("Revoke the role");
    const undone = example.flow.next<string>("told");
    await example.flow.call("POST", "/local/reorg", { depth: 2 });
    await example.flow.call("POST", "/local/speed", { blockTimeMs: 100 });
    // A later final event shows that the chain went on without the first one.
    await example.flow.press("New owner");
    const texts = [await undone];
    while (!texts.some((text) => text.startsWith("Taken back: ")))
      texts.push(await example.flow.next<string>("told"));
    const taken = example.told.slice(before).filter(({ title }) => title.startsWith("Taken back: "));
    should(taken).have.length(1);
    should(taken[0]?.text).containEql("RoleRevoked: MINTER_ROLE");
    should(taken[0]?.id).equal(example.told[before]?.id);
  });

  it("reported no error", () => {
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});
