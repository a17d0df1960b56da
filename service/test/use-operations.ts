import should from "should";
import { encodeFunctionData } from "viem";
import type { EventEnvelope, Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner, randomWalletOperationId } from "../../src/signing/index.ts";
import { artifact, type ContractName } from "../src/chain/demo/contracts.ts";
import { callOf, signatureOf } from "./signed-operation.ts";
import { type Answer, type Api, startTestService } from "./support.ts";

/** An operation before it is signed. */
export type Draft = ReturnType<ReturnType<typeof useOperations>["draft"]>;

/** A service with a channel and a deployed wallet for the tests of a `describe`, and what makes operations for it. */
export function useOperations() {
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let wallet: Wallet;
  const signer = localEcdsaSigner(generatePrivateKey());

  const call = (contract: ContractName, functionName: string, args: unknown[], value?: string) =>
    callOf(api, contract, functionName, args, value);
  const draft = (transactions: object[], change: object = {}) => ({
    chain_selector: api.ready.chain_selector,
    address: wallet.address,
    wallet_operation_id: randomWalletOperationId(),
    deadline: 0,
    transactions,
    ...change,
  });
  const sign = (operation: ReturnType<typeof draft>, by = signer) => signatureOf(api, by, operation);
  const submit = async (
    operation: ReturnType<typeof draft>,
    by = signer,
  ): Promise<Answer<Operation & { code: string; message: string; type: string }>> => {
    const { signature } = await sign(operation, by);
    return await api.call("POST", `/channels/${channelId}/operations`, { ...operation, signature });
  };
  const path = (operation: { operation_id: string }) =>
    `/channels/${channelId}/operations/${operation.operation_id}`;
  const statuses = (events: EventEnvelope[], operation: { operation_id: string }) =>
    events.filter((event) => event.payload.operation_id === operation.operation_id);
  const count = async () => {
    const query = await api.ok<{ query_id: string }>("POST", `/channels/${channelId}/queries`, {
      idempotency_key: randomWalletOperationId(),
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: {
        contract_address: api.ready.contracts.Counter,
        call_data: encodeFunctionData({
          abi: artifact("Counter").abi,
          functionName: "countOf",
          args: [wallet.address],
        }),
        block_selection: { type: "latest" },
      },
    });
    const done = await api.until(`/channels/${channelId}/queries/${query.query_id}`, "completed");
    const { data } = JSON.parse(
      Buffer.from(String((done as { verifiable_result?: string }).verifiable_result), "base64").toString(),
    );
    return Number(data.result.raw_return_data);
  };

  before(async () => {
    // A strict service answers a create with only the id.
    ({ api, dispose } = await startTestService({ strict: false }));
    channelId = await api.channel();
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "test wallet",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      configuration: { allowed_signers: [signer.address] },
      allowed_ecdsa_signers: [signer.address],
      status_channel_id: channelId,
    });
    should(created.status).equal("pending");
    wallet = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    should([created.address, wallet.address.length]).eql(["", 42]);
  });
  after(() => dispose());

  return {
    call,
    draft,
    sign,
    submit,
    path,
    statuses,
    count,
    signer,
    started: () => ({ api, channelId, wallet }),
  };
}
