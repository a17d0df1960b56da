import should from "should";
import type { Operation, OperationStatusEvent, VerifyResult } from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { ADDRESS, CHAIN, ID, OTHER_ID, type Reply, startFakeService } from "./support.ts";

describe("following an operation until it has reached a status", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const operation = {
    operation_id: OTHER_ID,
    wallet_operation_id: "42",
    chain_selector: CHAIN,
    address: ADDRESS,
    status: "accepted",
  } as Operation;
  const statuses = (...all: string[]): Reply => {
    const events = all.map((status, index) => ({
      event_id: `event ${index}`,
      headers: { type: "operation.status", offset: index, proofs: [] },
      payload: { ...operation, status, status_reason: status === "failed" ? "too hot" : "" },
    }));
    return [200, { events, has_more: false }];
  };
  /** Answers searches by these replies, the last one again and again. */
  const serve = async (shown: Reply, ...replies: [Reply, ...Reply[]]) => {
    const service = await startFakeService(({ path }) => {
      if (!path.endsWith("/events/search")) return shown;
      return (replies.length > 1 ? replies.shift() : replies[0]) ?? "drop";
    });
    open.push(service);
    return service.client.operations;
  };
  const options = { target: "confirmed_latest", pollMs: { min: 1, max: 5 } } as const;

  it("returns the operation, the change that reached it, and the later ones", async () => {
    const operations = await serve(
      [200, { ...operation, status: "confirmed", digest: "0x01" }],
      statuses("accepted", "sent"),
      statuses("accepted", "sent", "confirmed_latest"),
      statuses("accepted", "sent", "confirmed_latest", "confirmed"),
    );
    const seen: string[] = [];
    const onChange = ({ status }: { status: string }) => seen.push(status);
    const {
      operation: reached,
      change,
      later,
    } = await operations.followUntil(ID, operation, {
      ...options,
      onChange,
    });
    should(seen).deepEqual(["accepted", "sent", "confirmed_latest"]);
    should(change.status).equal("confirmed_latest");
    // The status that was reached, with the rest as the service shows it.
    should(reached).match({ status: "confirmed_latest", digest: "0x01" });
    for await (const { status } of later) seen.push(status);
    should(seen.at(-1)).equal("confirmed");
  });

  it("counts a stronger status, and needs no answer about the operation itself", async () => {
    const operations = await serve([503, ""], statuses("accepted", "confirmed_safe"));
    const { operation: reached } = await operations.followUntil(ID, operation, options);
    should(reached).match({ operation_id: OTHER_ID, status: "confirmed_safe" });
  });

  it("waits for a proof that arrives later", async () => {
    const operations = await serve([200, operation], statuses("confirmed_latest"));
    let checks = 0;
    const verify = async (_event: OperationStatusEvent): Promise<VerifyResult> => {
      checks += 1;
      return checks < 3
        ? { verified: false, reason: "no_proof", message: "No." }
        : { verified: true, signers: [ADDRESS], workflowId: "" };
    };
    const { change } = await operations.followUntil(ID, operation, { ...options, verify });
    should(change.verification).match({ verified: true });
    should(checks).equal(3);
  });

  for (const status of ["failed", "cancelled", "expired"]) {
    it(`ends with the reason when the operation is ${status}`, async () => {
      const operations = await serve([200, operation], statuses("accepted", status));
      const error = await errorOf(operations.followUntil(ID, operation, options));
      should(error).match({
        code: `OPERATION_${status.toUpperCase()}`,
        id: OTHER_ID,
        target: "confirmed_latest",
        lastStatus: status,
      });
      if (status === "failed") should(error).match({ reason: "too hot", message: /^failed: too hot\. / });
    });
  }
});
