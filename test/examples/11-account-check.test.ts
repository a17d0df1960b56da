import should from "should";
import { RunningExample } from "../support/example.ts";

type Failure = { code: string };

describe("the example account check", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("11-account-check");
  });
  after(() => flow?.close());
  beforeEach(() => flow.deploy(flow.flows));

  it("shows the account of the key", async () => {
    const account = await flow.pressed("Get account", "account");
    should(account).have.properties({ displayName: "Local developer", memberId: "member_local" });
  });

  it("reports that organization and tenant of the connection match", async () => {
    should(await flow.pressed("Check", "settings match")).deepEqual({
      organization: "Local organization",
      organizationFits: true,
      tenantFits: true,
    });
  });

  it("reports that the service is up, and its networks", async () => {
    const errors = flow.values("error").length;
    const up = flow.next("health");
    const networks = await flow.pressed<unknown[]>("Check service", "networks");
    should(await up).equal("200");
    should(networks).have.length(1);
    should(networks[0]).have.property("selector", flow.service.ready.chain_selector);
    should(flow.values("error")).have.length(errors);
  });

  it("reports a connection of another organization", async () => {
    const other = { name: "CREC_ORG_ID", value: "org_of_somebody_else", type: "str" };
    await flow.deploy(flow.flows.map((node) => (node.type === "tab" ? { ...node, env: [other] } : node)));
    const found = await flow.pressed("Check", "fix the connection");
    should(found).have.properties({ organizationFits: false, tenantFits: true });
  });

  it("reports a refused key by its code", async () => {
    const credentials = { apiKey: "not-a-key" };
    await flow.deploy(
      flow.flows.map((node) => (node.type === "crec-connection" ? { ...node, credentials } : node)),
    );
    const refused = await flow.pressed<Failure>("Get account", "error");
    should(refused.code).equal("KEY_REFUSED");
  });
});
