import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import { eventually } from "../support/eventually.ts";

const STRANGER = `0x${"0".repeat(37)}d13`;
const OTHER = `0x${"1".repeat(40)}`;

describe("the example alert on a new owner or a changed role", function () {
  this.timeout(120_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("13-ownership-or-role-changed");
  });
  after(() => example?.close());

  it("tells once of a new owner and of roles, again while the outlet refuses it, and takes back what is undone", async () => {
    // Tells of a new owner, with both addresses.
    should(await example.pressed("New owner")).match(
      /^New owner of guarded token \(0x\w{4}…\w{4}\): 0x0{37}d13 is the owner now; before, it was 0x\w{40}$/i,
    );
    const [told] = example.told;
    should(told).have.properties({ severity: "critical", kind: "alert" });
    should(told?.id).be.a.String().and.not.be.empty();

    // Tells of a role that is granted or revoked, by the name of the role.
    should(await example.pressed("Grant a role"))
      .containEql("RoleGranted: MINTER_ROLE of ")
      .and.containEql(STRANGER);
    should(await example.pressed("Revoke the role"))
      .containEql("RoleRevoked: MINTER_ROLE of ")
      .and.containEql(STRANGER);

    // Tells nothing again when the same logs are reported as final.
    await example.skipped(3);
    should(example.told).have.length(3);

    // Sends the same message again while the outlet refuses it.
    example.outlet.answer = 503;
    const again = example.flow.next<string>("told");
    await example.flow.press("Grant a role");
    await example.outlet.receiving(2, ({ answered }) => answered === 503);
    example.outlet.answer = 200;
    should(await again).containEql("RoleGranted");
    const refused = example.outlet.received().filter(({ answered }) => answered === 503);
    const ids = [...refused, ...example.outlet.received().slice(-1)].map(
      ({ headers }) => headers["webhook-id"],
    );
    should(new Set(ids).size).equal(1);
    should(example.told).have.length(4);

    // Tells the same people when a reorganization undoes what they were told.
    await example.pressed("Revoke the role");
    const before = example.told.length;
    // Only what waits for a block gets one: it is not final yet.
    await example.flow.call("POST", "/local/speed", { blockTimeMs: 60_000 });
    await example.pressed("Grant a role");
    await example.flow.call("POST", "/local/reorg", { depth: 3 });
    await example.flow.call("POST", "/local/speed", { blockTimeMs: 100 });
    // A role of another account shows that such events are reported as final, and this one was not.
    const other = { action: "grantRole", role: "MINTER_ROLE", to: OTHER };
    await example.flow.call("POST", "/local/guarded-token", other);
    const takenBack = () => example.told.slice(before).filter(({ kind }) => kind === "takenBack");
    await eventually("an alert that is taken back", takenBack, (alerts) => alerts.length > 0);
    should(takenBack()[0]).have.properties({ id: example.told[before]?.id, severity: "critical" });
    should(takenBack()[0]?.text).match(/^Taken back: .* RoleGranted: MINTER_ROLE of 0x0{37}d13/i);
    should(takenBack()).have.length(1);

    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});
