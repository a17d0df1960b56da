import should from "should";
import type { Operation } from "../../src/protocol/index.ts";
import type { Api } from "./support.ts";
import { useOperations } from "./use-operations.ts";

describe("drafts of operations", function () {
  this.timeout(120_000);
  const { call, draft, path, sign, statuses, started } = useOperations();
  let api: Api;
  let channelId: string;

  before(() => {
    ({ api, channelId } = started());
  });

  it("wait until they are finalized or cancelled", async () => {
    const operation = draft([call("Counter", "increment", [])]);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    should(created.status).equal("pending_signature");
    should(created.signature).equal(null);
    const { digest, signature } = await sign(operation);
    should(created.digest).equal(digest);
    const wrong = await api.call("PATCH", path(created), {
      status: "accepted",
      signature,
      digest: `0x${"0".repeat(64)}`,
    });
    should(wrong.status).equal(400);
    const accepted = await api.ok<Operation>("PATCH", path(created), {
      status: "accepted",
      signature,
      digest,
    });
    should(accepted.status).equal("accepted");
    const late = await api.call("PATCH", path(created), { status: "cancelled" });
    late.should.containDeep({ status: 409, body: { code: "OPERATION_NOT_CANCELLABLE" } });
    await api.until(path(created), "confirmed");

    const other = await api.ok<Operation>(
      "POST",
      `/channels/${channelId}/operations`,
      draft([call("Counter", "increment", [])]),
    );
    should((await api.ok<Operation>("PATCH", path(other), { status: "cancelled" })).status).equal(
      "cancelled",
    );
    const again = await api.call("PATCH", path(other), {
      status: "accepted",
      signature,
      digest: other.digest,
    });
    again.should.containDeep({ status: 409, body: { code: "OPERATION_NOT_FINALIZABLE" } });
    const neither = await api.call<{ message: string }>("PATCH", path(other), { status: "sent" });
    neither.body.message.should.match(/^The body must be either/);
  });

  it("expire at their deadline, and cannot be finalized shortly before", async () => {
    const operation = draft([call("Counter", "increment", [])], {
      deadline: Math.floor(Date.now() / 1000) + 2,
    });
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    const { digest, signature } = await sign(operation);
    const refused = await api.call("PATCH", path(created), { status: "accepted", signature, digest });
    refused.should.containDeep({ status: 409, body: { code: "OPERATION_DEADLINE_ELAPSED" } });
    await api.until(path(created), "expired");
    const events = statuses(await api.events(channelId), created);
    events.map((event) => event.payload.status).should.eql(["pending_signature", "expired"]);
  });
});
