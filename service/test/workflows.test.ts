import should from "should";
import { parseReport } from "../../src/proofs/report.ts";
import type { EventEnvelope, OcrProof, Operation, Query, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, CONFIRMED_PATH, startTestService, TRANSFER } from "./support.ts";

type Ids = Record<string, unknown>;
const ID = /^[0-9a-f]{64}$/;

describe("workflow ids of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;

  before(async () => {
    ({ api, dispose } = await startTestService());
    channelId = await api.channel();
  });
  after(() => dispose());

  /** What the report of an event says about the workflow that made it. */
  const reported = ({ headers }: EventEnvelope) => {
    const [proof] = headers.proofs as OcrProof[];
    const report = parseReport(Buffer.from(proof?.ocr_report.slice(2) ?? "", "hex"));
    return [report.workflowCid, report.workflowExecutionId].map((id) => id.slice(2));
  };

  it("are unique for a watcher and its events, with one run for each event", async () => {
    const created = await api.ok<Ids>("POST", `/channels/${channelId}/watchers`, {
      ...{ name: "first", chain_selector: api.ready.chain_selector, events: ["Transfer"] },
      ...{ address: api.ready.contracts.DemoToken, abi: [TRANSFER] },
    });
    should(created).not.have.property("workflow_id");
    const path = `/channels/${channelId}/watchers`;
    const first: Ids = await api.until(`${path}/${created.watcher_id}`, "active");
    const second: Ids = await api.transferWatcher(channelId, "second");
    should(first.workflow_id).match(ID);
    should(second.workflow_id).match(ID).and.not.equal(first.workflow_id);
    await api.ok("POST", "/local/faucet", {});
    const isTransfer = ({ headers }: EventEnvelope) => headers.type === "watcher.event";
    const events = await api.eventsUntil(channelId, (all) => all.filter(isTransfer).length === 4);
    for (const event of events.filter(isTransfer)) {
      const { watcher_id, workflow_id, workflow_execution_id } = event.payload;
      should(workflow_id).equal((watcher_id === first.watcher_id ? first : second).workflow_id);
      should(reported(event)).eql([workflow_id, workflow_execution_id]);
    }
    const runs = events.filter(isTransfer).map(({ payload }) => payload.workflow_execution_id);
    should(new Set(runs).size).equal(4);
    const statuses = events.filter(
      ({ payload }) => payload.watcher_id === first.watcher_id && payload.status,
    );
    should(statuses.map(({ payload }) => payload.workflow_id)).eql([undefined, first.workflow_id]);
  });

  it("follow an operation: the one that sent it, and the one that reported it", async () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "wallet", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
    });
    const { address } = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const request = await signedOperation(api, signer, address, [callOf(api, "Counter", "increment")]);
    const { operation_id } = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, request);
    const path = `/channels/${channelId}/operations/${operation_id}`;
    const confirmed = idsOf((await api.until<Operation>(path, "confirmed")) as unknown as Ids);
    should(Object.keys(confirmed)).eql([
      "operation_writer_workflow_id",
      "operation_writer_workflow_execution_id",
      "operation_status_workflow_id",
      "operation_status_workflow_execution_id",
    ]);
    for (const id of Object.values(confirmed)) should(id).match(ID);
    const events = (await api.events(channelId)).filter(
      ({ payload }) => payload.operation_id === operation_id,
    );
    should(events.map(({ payload }) => payload.status)).eql(CONFIRMED_PATH);
    should(events.map(({ payload }) => Object.keys(idsOf(payload)).length)).eql([0, 2, 2, 4, 4, 4, 4]);
    should(idsOf(events.at(-1)?.payload ?? {})).eql(confirmed);
    for (const event of events.filter(({ headers }) => headers.proofs.length > 0)) {
      const { operation_status_workflow_id, operation_status_workflow_execution_id } = event.payload;
      should(reported(event)).eql([operation_status_workflow_id, operation_status_workflow_execution_id]);
    }
  });

  it("stay on an operation that fails after it was sent, and are missing on one that was never sent", async () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "failing", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
    });
    const { address } = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const path = `/channels/${channelId}/operations`;
    await api.ok("POST", "/local/failures", { kind: "operation" });
    const request = await signedOperation(api, signer, address, [callOf(api, "Counter", "increment")]);
    const { operation_id } = await api.ok<Operation>("POST", path, request);
    const failed = idsOf((await api.until<Operation>(`${path}/${operation_id}`, "failed")) as unknown as Ids);
    should(Object.keys(failed)).have.length(4);
    const events = (await api.events(channelId)).filter(
      ({ payload }) => payload.operation_id === operation_id,
    );
    should(idsOf(events.at(-1)?.payload ?? {})).eql(failed);
    const draft = await signedOperation(api, signer, address, [callOf(api, "Counter", "increment")]);
    const { operation_id: draftId } = await api.ok<Operation>("POST", path, {
      ...draft,
      signature: undefined,
    });
    const cancelled = await api.ok<Operation>("PATCH", `${path}/${draftId}`, { status: "cancelled" });
    should(idsOf(cancelled as unknown as Ids)).be.empty();
  });

  it("are set on a query once it is dispatched", async () => {
    const { query_id } = await api.ok<Query>("POST", `/channels/${channelId}/queries`, {
      ...{ idempotency_key: "key", query_kind: "evm_call", chain_selector: api.ready.chain_selector },
      params: {
        ...{ contract_address: api.ready.contracts.DemoToken, call_data: "0x18160ddd" },
        block_selection: { type: "latest" },
      },
    });
    const path = `/channels/${channelId}/queries/${query_id}`;
    const completed = idsOf((await api.until<Query>(path, "completed")) as unknown as Ids);
    const events = (await api.events(channelId)).filter(({ payload }) => payload.query_id === query_id);
    const [accepted, ...dispatched] = events.map(({ payload }) => idsOf(payload));
    should(accepted).eql({});
    for (const ids of dispatched) should(ids).eql(completed);
    const last = events.at(-1);
    should(last && reported(last)).eql([completed.workflow_id, completed.workflow_execution_id]);
  });
});

function idsOf(thing: Ids): Ids {
  return Object.fromEntries(Object.entries(thing).filter(([name]) => name.includes("workflow")));
}
