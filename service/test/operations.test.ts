import { constants, generateKeyPairSync, privateEncrypt, randomUUID } from "node:crypto";
import should from "should";
import { encodeFunctionData } from "viem";
import { createVerifier, verifyEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, Operation, Wallet } from "../../src/protocol/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
} from "../../src/signing/index.ts";
import { artifact, type ContractName } from "../src/chain/artifacts.ts";
import { accountAddress, executeData } from "../src/chain/smart-account.ts";
import { type Answer, type Api, LADDER, startTestService } from "./support.ts";
import { mined, rpc } from "./transactions.ts";

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe("wallets and operations of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let wallet: Wallet;
  const signer = localEcdsaSigner(generatePrivateKey());

  const call = (contract: ContractName, functionName: string, args: unknown[], value = "0") => ({
    to: api.ready.contracts[contract] ?? "",
    value,
    data: encodeFunctionData({ abi: artifact(contract).abi, functionName, args }),
  });
  const draft = (transactions: object[], change: object = {}) => ({
    chain_selector: api.ready.chain_selector,
    address: wallet.address,
    wallet_operation_id: randomWalletOperationId(),
    deadline: 0,
    transactions,
    ...change,
  });
  const sign = async (operation: ReturnType<typeof draft>, by = signer) => {
    const input = { ...operation, id: operation.wallet_operation_id, account: operation.address } as never;
    const digest = operationDigest(input, api.ready.chain_id);
    return {
      digest,
      signature: await by.sign({ digest, typedData: operationTypedData(input, api.ready.chain_id) }),
    };
  };
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
    // One that is strict answers a create with the id alone.
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

  it("deploy a wallet contract that knows its signers and its EIP-712 domain, and tell each step", async () => {
    const { publicActions, createClient, http } = await import("viem");
    const chain = createClient({ transport: http(api.ready.rpc_url) }).extend(publicActions);
    const account = { address: wallet.address as `0x${string}`, abi: artifact("SmartAccount").abi };
    should(
      await chain.readContract({ ...account, functionName: "isSigner", args: [signer.address] }),
    ).be.true();
    should(await chain.readContract({ ...account, functionName: "owner" })).equal(signer.address);
    const { domain } = await chain.getEip712Domain({ address: account.address });
    should(domain).containDeep({
      name: "CLLSmartAccount",
      version: "1",
      chainId: 31337,
      verifyingContract: wallet.address,
    });
    const told = (await api.events(channelId)).filter((event) => event.headers.type === "wallet.status");
    told
      .map((event) => [event.payload.status, event.payload.address])
      .should.eql([
        ["pending", ""],
        ["deploying", ""],
        ["deployed", wallet.address],
      ]);
    should(wallet.configuration).eql({ allowed_signers: [signer.address] });
  });

  it("execute a batch, climb every rung with one event each, and prove the confirmed ones", async () => {
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "5000" });
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "10", token: "native" });
    const receiver = "0x00000000000000000000000000000000000000b2";
    const submitted = await submit(
      draft([
        call("DemoToken", "transfer", [receiver, 1234n]),
        call("Counter", "increment", []),
        { to: receiver, value: "3", data: "0x" },
      ]),
    );
    should(submitted.status).equal(201);
    should(submitted.body.status).equal("accepted");
    const confirmed = await api.until<Operation>(path(submitted.body), "confirmed");
    should(confirmed.confirmed_at).be.a.Number();
    const told = statuses(await api.events(channelId), confirmed);
    told.map((event) => event.payload.status).should.eql(LADDER);
    const verifier = createVerifier({
      workflowOwner: api.ready.workflow_owner,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    });
    for (const event of told) {
      const proven = String(event.payload.status).startsWith("confirmed");
      event.headers.proofs.length.should.equal(proven ? 1 : 0);
      if (proven) should((await verifier.verify(event)).verified).be.true();
    }
    (await count()).should.equal(1);
  });

  it("fail with the reason of the revert, and leave nothing of the batch", async () => {
    const before = await count();
    const failures: Array<[object[], RegExp]> = [
      [
        [call("Counter", "increment", []), call("Counter", "failWithReason", ["out of paper"])],
        /^transaction 2 of 2: out of paper$/,
      ],
      [
        [call("Counter", "failWithError", [7n])],
        new RegExp(`^Refused\\(caller: ${wallet.address}, amount: 7\\)$`),
      ],
      [[call("Counter", "failWithPanic", [0n])], /division/],
      [[call("DemoToken", "transfer", [signer.address, 10n ** 30n])], /^InsufficientBalance/],
    ];
    for (const [transactions, reason] of failures) {
      const { body } = await submit(draft(transactions));
      const failed = await api.until<Operation>(path(body), "failed");
      const [last] = statuses(await api.events(channelId), failed).reverse();
      String(last?.payload.status_reason).should.match(reason);
    }
    (await count()).should.equal(before);
  });

  it("take each wallet operation id once, while under way and for ever once executed", async () => {
    const before = await count();
    const operation = draft([call("Counter", "increment", [])]);
    const answers = await Promise.all([submit(operation), submit(operation), submit(operation)]);
    answers
      .map((answer) => answer.status)
      .sort()
      .should.eql([201, 409, 409]);
    should(answers.find((answer) => answer.status === 409)?.body).containDeep({
      type: "CONFLICT",
      code: "OPERATION_ALREADY_EXISTS",
    });
    const accepted = answers.find((answer) => answer.status === 201);
    await api.until(path(accepted?.body ?? { operation_id: "" }), "confirmed");
    should((await submit(operation)).status).equal(409);
    should(
      (await submit({ ...operation, wallet_operation_id: `000${operation.wallet_operation_id}` })).status,
    ).equal(409);
    (await count()).should.equal(before + 1);

    const failed = draft([call("Counter", "failWithReason", ["first"])]);
    const first = await submit(failed);
    await api.until(path(first.body), "failed");
    const again = await submit({ ...failed, transactions: [call("Counter", "increment", [])] });
    should(again.status).equal(201);
    await api.until(path(again.body), "confirmed_latest", "confirmed_safe", "confirmed");
  });

  it("refuse what cannot be executed, naming why", async () => {
    const good = draft([call("Counter", "increment", [])]);
    const stranger = localEcdsaSigner(generatePrivateKey());
    const refused = async (operation: ReturnType<typeof draft>, by = signer) => {
      const { status, body } = await submit(operation, by);
      return { status, type: body.type, code: body.code, message: body.message };
    };
    should(await refused(good, stranger)).containDeep({ status: 400, type: "VALIDATION_ERROR" });
    (await refused(good, stranger)).message.should.match(
      new RegExp(`signer ${stranger.address} is not allowed`),
    );
    const { signature } = await sign(good);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const highS = (CURVE_ORDER - s).toString(16).padStart(64, "0");
    const otherForms = [
      `${signature.slice(0, -2)}02`,
      `${signature.slice(0, 66)}${highS}${signature.endsWith("1b") ? "1c" : "1b"}`,
    ];
    for (const form of otherForms) {
      const answer = await api.call<{ message: string }>("POST", `/channels/${channelId}/operations`, {
        ...good,
        signature: form,
      });
      should(answer.status).equal(400);
      answer.body.message.should.match(/a recovery byte of 0, 1, 27 or 28 and have a low s/);
    }
    for (const deadline of [5, Math.floor(Date.now() / 1000)]) {
      (await refused({ ...good, deadline })).message.should.match(/deadline has passed/);
    }
    should(await refused({ ...good, address: `0x${"1".repeat(40)}` })).containDeep({
      status: 404,
      code: "WALLET_NOT_FOUND",
    });
    const post = (body: object) =>
      api.call<{ message: string }>("POST", `/channels/${channelId}/operations`, body);
    (await post({ ...good, extra: 1 })).should.containDeep({
      status: 400,
      body: { message: "The body takes no field extra." },
    });
    (await post({ ...good, transactions: [] })).body.message.should.match(
      /^transactions must be a list of 1 to 16/,
    );
    (
      await post({ ...good, transactions: [{ ...good.transactions[0], data: "0x1" }] })
    ).body.message.should.match(/^transactions\[0\]\.data must be call data/);
    (await post({ ...good, wallet_operation_id: (2n ** 256n).toString() })).body.message.should.match(
      /256 bits/,
    );
  });

  it("take a signature whose recovery byte is 0 or 1, show it as it came, and execute it", async () => {
    const withRecoveryBit = (signature: string) => signature.replace(/1b$/, "00").replace(/1c$/, "01");
    const before = await count();
    const operation = draft([call("Counter", "increment", [])]);
    const signature = withRecoveryBit((await sign(operation)).signature);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, {
      ...operation,
      signature,
    });
    const other = draft([call("Counter", "increment", [])]);
    const drafted = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, other);
    const { digest, signature: ofDraft } = await sign(other);
    const change = { status: "accepted", digest, signature: withRecoveryBit(ofDraft) };
    await api.ok("PATCH", path(drafted), change);
    should(await api.until<Operation>(path(created), "confirmed")).containEql({ signature });
    should(await api.until<Operation>(path(drafted), "confirmed")).containEql({
      signature: change.signature,
    });
    should(await count()).equal(before + 2);
  });

  it("show a preview with the values of its execution, none of which are known", async () => {
    const preview = { function_signature: "increment()", metadata: { unit: "none" } };
    const operation = draft([
      { ...call("Counter", "increment", []), preview },
      call("Counter", "increment", []),
    ]);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    const shown = created.transactions.map(({ preview_snapshot }) => preview_snapshot);
    should(shown).eql([{ ...preview, execution_values: {} }, undefined]);
    const [event] = statuses(await api.events(channelId), created);
    should(event?.payload.transactions).eql(created.transactions);
  });

  it("show the address of a wallet once it is on the chain, and to nobody before", async () => {
    const { SmartAccountFactory } = api.ready.contracts;
    const ask = (body: object) =>
      api.ok<Wallet>("POST", "/wallets", {
        ...{ wallet_owner_address: signer.address, chain_selector: api.ready.chain_selector },
        ...{ wallet_type: "ecdsa", ...body },
      });
    await api.ok("POST", "/local/failures", { kind: "deployment" });
    const { wallet_id } = await ask({ name: "never there" });
    const failed = await api.until<Wallet>(`/wallets/${wallet_id}`, "failed");
    const archived = await api.ok<Wallet>("PATCH", `/wallets/${wallet_id}`, { status: "archived" });
    should([failed.address, archived.address]).eql(["", ""]);
    const address = accountAddress(SmartAccountFactory as `0x${string}`, wallet_id);
    const listed = `/wallets?status=archived&address=${address}`;
    should((await api.ok<{ data: unknown[] }>("GET", listed)).data).be.empty();
  });

  it("keep what else the configuration of a wallet holds, as it came", async () => {
    const own = { policy: { limits: [1, null, "x"] } };
    const { wallet_id, configuration } = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "configured", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      chain_selector: api.ready.chain_selector,
      ...{ configuration: own, allowed_ecdsa_signers: [signer.address] },
    });
    should(configuration).eql({ ...own, allowed_signers: [signer.address] });
    const later = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    should(later.configuration).eql(configuration);
  });

  it("refuse a configuration that is too large, or names other signers than the older form", async () => {
    const other = localEcdsaSigner(generatePrivateKey());
    const created = (configuration: object) =>
      api.call("POST", "/wallets", {
        ...{ name: randomUUID(), wallet_owner_address: signer.address, wallet_type: "ecdsa" },
        ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
        configuration,
      });
    const large = await created({ note: "x".repeat(16_384) });
    large.should.containDeep({ status: 400, body: { type: "VALIDATION_ERROR" } });
    should(large.body.message).match(/at most 16384 bytes/);
    const contradiction = await created({ allowed_signers: [other.address] });
    should(contradiction.status).equal(400);
    should(contradiction.body.message).match(/allowed_ecdsa_signers name different signers/);
    should((await created({ allowed_signers: [signer.address.toLowerCase()] })).status).equal(201);
  });

  it("keep a draft until it is finalized or cancelled", async () => {
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

  it("expire a draft at its deadline, and refuse to finalize it shortly before", async () => {
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

  it("take no operation of an archived wallet", async () => {
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "short-lived",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const taken = await api.call("POST", "/wallets", { ...created, name: "short-lived" });
    taken.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_EXISTS" } });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const archived = await api.ok<Wallet>("PATCH", `/wallets/${created.wallet_id}`, { status: "archived" });
    should(archived).containEql({ status: "archived", address });
    const again = await api.call("PATCH", `/wallets/${created.wallet_id}`, { name: "other" });
    again.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_ARCHIVED" } });
    const refused = await submit(draft([call("Counter", "increment", [])], { address }));
    refused.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_ARCHIVED" } });
    const listed = await api.ok<{ data: Wallet[] }>("GET", "/wallets");
    listed.data.map(({ name }) => name).should.not.containEql("short-lived");
  });

  it("take RSA signatures where the wallet has RSA signers", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = publicKey.export({ format: "jwk" });
    const hex = (part?: string) => `0x${Buffer.from(part ?? "", "base64url").toString("hex")}`;
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "rsa wallet",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "rsa",
      configuration: { allowed_signers: [{ e: hex(jwk.e), n: hex(jwk.n) }] },
    });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const operation = draft([call("Counter", "increment", [])], { address });
    const { digest } = await sign(operation);
    const prefix = Buffer.from("3031300d060960864801650304020105000420", "hex");
    const sealed = privateEncrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_PADDING },
      Buffer.concat([prefix, Buffer.from(digest.slice(2), "hex")]),
    );
    const submitPath = `/channels/${channelId}/operations`;
    const forged = { ...operation, signature: `0x${Buffer.from(sealed).reverse().toString("hex")}` };
    should((await api.call("POST", submitPath, forged)).status).equal(400);
    const signed = { ...operation, signature: `0x${sealed.toString("hex")}` };
    const accepted = await api.ok<Operation>("POST", submitPath, signed);
    await api.until(path(accepted), "confirmed_latest", "confirmed_safe", "confirmed");
  });

  it("bring an operation back onto the chain when its block is replaced, and execute it once", async () => {
    const before = await count();
    const { body } = await submit(draft([call("Counter", "increment", [])]));
    await api.until(path(body), "confirmed_latest");
    await api.ok("POST", "/local/reorg", { depth: 2 });
    const confirmed = await api.until<Operation>(path(body), "confirmed");
    statuses(await api.events(channelId), confirmed)
      .map((event) => event.payload.status)
      .should.eql(LADDER);
    (await count()).should.equal(before + 1);
  });

  it("are confirmed by what the wallet has executed under their id before, and by no other calls", async () => {
    const [increment, approve] = [
      call("Counter", "increment", []),
      call("DemoToken", "approve", [signer.address, 1n]),
    ];
    /** As by a service with the same account, whose data was lost since. */
    const executeBefore = async (operation: ReturnType<typeof draft>) => {
      const { from } = await api.ok<{ from: string }>("POST", "/local/faucet", { amount: "1" });
      const { signature } = await sign(operation);
      const data = executeData({ ...operation, signature } as Parameters<typeof executeData>[0]);
      await rpc(api, "anvil_impersonateAccount", [from]);
      const hash = await rpc<string>(api, "eth_sendTransaction", [{ from, to: wallet.address, data }]);
      should((await mined(api, hash)).status).equal("0x1");
      await rpc(api, "anvil_stopImpersonatingAccount", [from]);
    };
    const [same, other] = [draft([increment]), draft([increment])];
    await executeBefore(same);
    await executeBefore({ ...other, transactions: [approve] });
    const [adopted, refused] = [await submit(same), await submit(other)];
    await api.until(path(adopted.body), "confirmed");
    await api.until(path(refused.body), "failed");
  });

  it("find an operation again by its wallet operation id", async () => {
    const operation = draft([call("Counter", "increment", [])]);
    const { body } = await submit(operation);
    const found = await api.ok<{ events: EventEnvelope[] }>(
      "GET",
      `/channels/${channelId}/events/search?type=operation.status&wallet_operation_id=${operation.wallet_operation_id}`,
    );
    should(found.events[0]?.payload).containDeep({
      operation_id: body.operation_id,
      digest: body.digest,
      status: "accepted",
    });
    if (found.events[0] !== undefined) {
      should(
        await verifyEvent(found.events[0], {
          workflowOwner: api.ready.workflow_owner,
          validSigners: api.ready.valid_signers,
          minRequiredSignatures: 3,
        }),
      ).containDeep({ verified: false, reason: "not_verifiable" });
    }
  });
});
