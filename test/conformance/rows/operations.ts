import should from "should";
import {
  decoded,
  digestOf,
  ERC20,
  ecdsaSigner,
  freshAddress,
  freshId,
  getAddress,
  rsaSigner,
  WALLET,
} from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World } from "../world.ts";

export const { rows, row } = table();

const LADDER = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];
const ids = ({ data }: Json) => data.map(({ operation_id }: Json) => operation_id);
const statuses = (told: Json[]) => told.map(({ payload }) => payload.status);
const seconds = () => Math.floor(Date.now() / 1000);

const operationsPath = async (world: World) => `/channels/${(await world.wallet()).channel}/operations`;
const told = async (world: World, id: string) =>
  world.told((await world.wallet()).channel, "operation_id", id);
const finalizing = async (world: World, { operation, body }: { operation: Json; body: Json }) => ({
  status: "accepted",
  signature: (await world.signed(body)).signature,
  digest: operation.digest ?? digestOf(body, world.network.chain_id),
});

/** One operation that went all the way, for the rows that look at it. */
const confirmed = (world: World) =>
  world.once("confirmed operation", async () => {
    const sent = await world.submit();
    const final = world.has("local") ? ["confirmed"] : ["confirmed", "confirmed_latest"];
    return { ...sent, operation: await world.status(sent.path, ...final) };
  });

row(
  "S3 C3",
  "without a signature it is a draft: pending_signature, as it was sent",
  ["wallet"],
  async (world) => {
    const { operation, body } = await world.draft({ deadline: seconds() + 3600 });
    should(operation.operation_id).match(UUID);
    should(operation.status).equal("pending_signature");
    should(operation.signature).be.null();
    for (const field of ["chain_selector", "wallet_operation_id", "deadline"]) {
      should(operation[field]).equal(body[field]);
    }
    should(operation.address).equal(getAddress(body.address));
    should(operation.transactions).containDeep(body.transactions);
    should(operation.initiator).have.properties(["subject_type", "subject_id"]);
    if (operation.digest !== undefined)
      should(operation.digest).equal(digestOf(body, world.network.chain_id));
  },
);

row(
  "C2",
  "the answer to a new operation names it, and tells its status where it tells more",
  ["wallet"],
  async (world) => {
    const { answer, id } = await confirmed(world);
    should(id).match(UUID);
    if (answer.status !== undefined) should(answer.status).equal("accepted");
  },
);

row(
  "S3 C4",
  "with a signature it climbs from accepted to where the network ends",
  ["wallet"],
  async (world) => {
    const { id, operation } = await confirmed(world);
    const steps = statuses(await told(world, id));
    if (world.has("local")) steps.should.eql(LADDER);
    steps.should.eql(LADDER.filter((status) => steps.includes(status)));
    should(steps.at(-1)).equal(operation.status);
  },
);

row(
  "C3",
  "what has been confirmed says when it was signed, confirmed and changed",
  ["local"],
  async (world) => {
    const { operation } = await confirmed(world);
    const { created_at, signed_at, confirmed_at, updated_at } = operation;
    [created_at, signed_at, confirmed_at, updated_at].every(Number.isInteger).should.be.true();
    should(operation.signer).have.properties(["subject_type", "subject_id"]);
    should(confirmed_at).be.aboveOrEqual(created_at);
  },
);

row("C5", "operation events carry the operation's ids, digest and time", ["wallet"], async (world) => {
  const { id, operation } = await confirmed(world);
  for (const { headers, payload } of await told(world, id)) {
    should(headers.type).equal("operation.status");
    should(payload.wallet_operation_id).equal(operation.wallet_operation_id);
    should(payload.address).equal(operation.address);
    should(payload.chain_selector).equal(operation.chain_selector);
    should(payload).have.properties(["status_reason", "timestamp"]);
  }
});

row(
  "S6 C5",
  "the confirmed statuses are signed: wallet, id, status and transaction",
  ["wallet"],
  async (world) => {
    const { id, operation } = await confirmed(world);
    for (const { payload } of await told(world, id)) {
      const isSigned = payload.status.startsWith("confirmed");
      should(payload.verifiable_event !== undefined).equal(isSigned);
      if (!isSigned) continue;
      const { data, timestamp } = decoded(payload.verifiable_event);
      should(new Date(timestamp).getTime()).be.above(0);
      should(data.wallet_operation_id).equal(operation.wallet_operation_id);
      should(getAddress(data.wallet_address)).equal(operation.address);
      should(data.status).equal(payload.status);
      should(data.transaction_hash).match(/^0x[0-9a-f]{64}$/);
    }
  },
);

row("C2", "a new operation takes no field but its own", ["wallet"], async (world) => {
  const path = await operationsPath(world);
  const right = await world.newOperation();
  const [call] = right.transactions;
  for (const change of [
    { nonce: 1 },
    { status: "accepted" },
    { digest: `0x${"0".repeat(64)}` },
    { transactions: [{ ...call, gas: 1 }] },
  ]) {
    await world.invalid("POST", path, { ...right, ...change });
  }
});

row("C2", "what an operation needs is required, and must be right", ["wallet"], async (world) => {
  const path = await operationsPath(world);
  const right = await world.newOperation();
  const [call] = right.transactions;
  for (const field of ["chain_selector", "address", "wallet_operation_id", "deadline", "transactions"]) {
    await world.invalid("POST", path, { ...right, [field]: undefined });
    await world.invalid("POST", path, { ...right, [field]: {} });
  }
  for (const field of ["to", "value", "data"]) {
    await world.invalid("POST", path, { ...right, transactions: [{ ...call, [field]: undefined }] });
    await world.invalid("POST", path, { ...right, transactions: [{ ...call, [field]: 5 }] });
  }
  const limit = 2n ** 256n;
  for (const change of [
    { chain_selector: "1" },
    { wallet_operation_id: "0x10" },
    { wallet_operation_id: "-1" },
    { wallet_operation_id: "" },
    { wallet_operation_id: String(limit) },
    { wallet_operation_id: "1".repeat(79) },
    { deadline: -1 },
    { deadline: 1.5 },
    { deadline: "0" },
    { transactions: [{ ...call, value: "1.5" }] },
    { transactions: [{ ...call, value: String(limit) }] },
    { transactions: [{ ...call, data: "0x123" }] },
    { transactions: [{ ...call, data: "0xzz" }] },
    { transactions: [{ ...call, to: "0x12" }] },
    { signature: "0x" },
    { signature: `0x${"0".repeat(128)}` },
    { signature: "0".repeat(130) },
  ]) {
    await world.invalid("POST", path, { ...right, ...change });
  }
});

row("C2", "an operation has 1 to 16 transactions", ["wallet"], async (world) => {
  const path = await operationsPath(world);
  const { transactions } = await world.newOperation();
  const calls = (count: number) => Array.from({ length: count }, () => transactions[0]);
  for (const count of [0, 17]) {
    await world.invalid("POST", path, await world.newOperation({ transactions: calls(count) }));
  }
  const { operation } = await world.draft({ transactions: calls(16) });
  should(operation.transactions).have.length(16);
});

row("C7", "ids lose leading zeros, and call data needs no 0x", ["wallet"], async (world) => {
  const id = freshId();
  const { wallet } = await world.wallet();
  const transactions = [{ to: wallet.wallet_owner_address, value: "007", data: "ABCD" }];
  const { operation } = await world.draft({ wallet_operation_id: `00${id}`, transactions });
  should(operation.wallet_operation_id).equal(id);
  should(operation.transactions[0].data.toLowerCase()).equal("0xabcd");
  should(BigInt(operation.transactions[0].value)).equal(7n);
});

row("C1", "an operation of a wallet that is not there is told by its code", ["wallet"], async (world) => {
  const body = await world.newOperation({ address: freshAddress() });
  await world.missing("WALLET_NOT_FOUND", "POST", await operationsPath(world), body);
});

row(
  "C1",
  "an operation that is not there, or in another channel, is told by its code",
  ["wallet"],
  async (world) => {
    const { operation } = await world.draft();
    const other = await world.channel();
    for (const path of [
      `${await operationsPath(world)}/${NOWHERE}`,
      `/channels/${other}/operations/${operation.operation_id}`,
    ]) {
      await world.missing("OPERATION_NOT_FOUND", "GET", path);
      await world.missing("OPERATION_NOT_FOUND", "PATCH", path, { status: "cancelled" });
    }
  },
);

row(
  "C7",
  "a signature counts when it is an allowed signer's, of this operation on this chain",
  ["wallet"],
  async (world) => {
    const path = await operationsPath(world);
    const { signer } = await world.wallet();
    const right = await world.newOperation();
    const other = await world.newOperation();
    const { chain_id } = world.network;
    for (const signature of [
      await ecdsaSigner().sign(right, chain_id),
      await signer.sign(other, chain_id),
      await signer.sign(right, String(BigInt(chain_id) + 1n)),
      `0x${"00".repeat(65)}`,
      `0x${"ff".repeat(65)}`,
      `0x${"11".repeat(256)}`,
    ]) {
      await world.invalid("POST", path, { ...right, signature });
    }
  },
);

row("C2 C7", "previews of a draft are kept as a snapshot", ["wallet"], async (world) => {
  const [call] = (await world.newOperation()).transactions;
  const preview = { function_signature: "transfer(address,uint256)", metadata: { amount: "5" } };
  const { operation } = await world.draft({ transactions: [{ ...call, preview }, call] });
  should(operation.transactions[0].preview_snapshot).containDeep(preview);
  should(operation.transactions[1].preview_snapshot).be.undefined();
  const path = await operationsPath(world);
  for (const wrong of [{}, { function_signature: 5 }, "transfer", { ...preview, metadata: "x" }]) {
    const transactions = [{ ...call, preview: wrong }];
    await world.invalid("POST", path, await world.newOperation({ transactions }));
  }
});

row(
  "S3 C2",
  "a draft is finalized with signature and digest, and then relayed",
  ["wallet"],
  async (world) => {
    const draft = await world.draft({ deadline: seconds() + 3600 });
    const change = await finalizing(world, draft);
    const accepted = await world.expect(200, "PATCH", draft.path, change);
    should(accepted.status).equal("accepted");
    should(accepted.signature.toLowerCase()).equal(change.signature);
    should(Number.isInteger(accepted.signed_at)).be.true();
    should(accepted.signer).have.properties(["subject_type", "subject_id"]);
    await world.conflict("OPERATION_NOT_FINALIZABLE", "PATCH", draft.path, change);
    await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", draft.path, { status: "cancelled" });
    await world.status(draft.path, "confirmed_latest", "confirmed_safe", "confirmed");
    statuses(await told(world, draft.operation.operation_id))
      .slice(0, 2)
      .should.eql(["pending_signature", "accepted"]);
  },
);

row(
  "C2",
  "a finalize must be of this draft, by a signer of its wallet, and say no more",
  ["wallet"],
  async (world) => {
    const draft = await world.draft();
    const right = await finalizing(world, draft);
    const stranger = await ecdsaSigner().sign(draft.body, world.network.chain_id);
    for (const change of [
      { ...right, digest: `0x${"12".repeat(32)}` },
      { ...right, signature: stranger },
      { ...right, digest: undefined },
      { ...right, signature: undefined },
      { ...right, status: undefined },
      { ...right, status: "sent" },
      { ...right, deadline: 5 },
      { status: "cancelled", digest: right.digest },
      { status: "accepted" },
      {},
    ]) {
      await world.invalid("PATCH", draft.path, change);
    }
    should((await world.get(draft.path)).status).equal("pending_signature");
  },
);

row("S3 C2", "a draft is cancelled, for good", ["wallet"], async (world) => {
  const draft = await world.draft();
  const cancelled = await world.expect(200, "PATCH", draft.path, { status: "cancelled" });
  should(cancelled.status).equal("cancelled");
  should(Number.isInteger(cancelled.cancelled_at)).be.true();
  should(cancelled.canceller).have.properties(["subject_type", "subject_id"]);
  await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", draft.path, { status: "cancelled" });
  await world.conflict("OPERATION_NOT_FINALIZABLE", "PATCH", draft.path, await finalizing(world, draft));
  statuses(await told(world, draft.operation.operation_id)).should.eql(["pending_signature", "cancelled"]);
});

row("C4", "from 60 s before its deadline a draft cannot be finalized", ["wallet"], async (world) => {
  const late = await world.draft({ deadline: seconds() + 50 });
  const answer = await world.call("PATCH", late.path, await finalizing(world, late));
  if (answer.status === 200) should(answer.body.status).equal("expired");
  else
    should(answer).containDeep({
      status: 409,
      body: { type: "CONFLICT", code: "OPERATION_DEADLINE_ELAPSED" },
    });
  const early = await world.draft({ deadline: seconds() + 75 });
  await world.expect(200, "PATCH", early.path, await finalizing(world, early));
});

row(
  "S3 S7",
  "a draft whose deadline has passed is expired, whether anybody asks for it or not",
  ["wallet"],
  async (world) => {
    const deadline = seconds() + 2;
    const [touched, untouched] = [await world.draft({ deadline }), await world.draft({ deadline })];
    await new Promise((resolve) => setTimeout(resolve, (deadline + 0.1) * 1000 - Date.now()));
    const answer = await world.call("PATCH", touched.path, await finalizing(world, touched));
    should([200, 409]).containEql(answer.status);
    should((await world.get(touched.path)).status).equal("expired");
    await world.status(untouched.path, "expired");
    for (const { operation } of [touched, untouched]) {
      statuses(await told(world, operation.operation_id)).should.eql(["pending_signature", "expired"]);
    }
    await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", touched.path, { status: "cancelled" });
  },
);

row(
  "C1",
  "an operation's id is taken while it may be executed, and for ever once it was",
  ["wallet"],
  async (world) => {
    const path = await operationsPath(world);
    const draft = await world.draft();
    const again = await world.newOperation({ wallet_operation_id: draft.body.wallet_operation_id });
    await world.refused({ status: 409, type: "CONFLICT" }, "POST", path, again);
    if (world.has("local"))
      await world.conflict("OPERATION_ALREADY_EXISTS", "POST", path, await world.signed(again));
    await world.expect(200, "PATCH", draft.path, { status: "cancelled" });
    await world.expect(201, "POST", path, again);
    const done = (await confirmed(world)).body.wallet_operation_id;
    if (!world.has("local")) return;
    await world.conflict(
      "OPERATION_ALREADY_EXISTS",
      "POST",
      path,
      await world.newOperation({ wallet_operation_id: done }),
    );
  },
);

row("C1", "two hand in the same operation at once: one of them is refused", ["local"], async (world) => {
  const path = await operationsPath(world);
  const body = await world.signed(await world.newOperation());
  const answers = await Promise.all([1, 2, 3].map(() => world.call("POST", path, body)));
  answers
    .map(({ status }) => status)
    .sort()
    .should.eql([201, 409, 409]);
});

row(
  "C2",
  "operations are found by status, network, address, wallet and subject",
  ["wallet"],
  async (world) => {
    const { wallet } = await world.wallet();
    const draft = await world.draft();
    await world.expect(200, "PATCH", draft.path, { status: "cancelled" });
    const operation = await world.get(draft.path);
    const { subject_type, subject_id } = operation.initiator;
    const { canceller } = operation;
    const other = world.network.type === "testnet" ? "mainnet" : "testnet";
    for (const [query, is] of [
      ["status=cancelled", true],
      ["status=failed&status=cancelled", true],
      ["status=failed&status=expired", false],
      [`chain_selector=${world.network.chain_selector}`, true],
      ["chain_selector=1", false],
      [`chain_environment=${world.network.type}`, true],
      [`chain_environment=${other}`, false],
      [`address=${wallet.address.toLowerCase()}`, true],
      [`address=${freshAddress()}`, false],
      [`wallet_id=${wallet.wallet_id}`, true],
      [`wallet_id=${NOWHERE}`, false],
      [`initiator_subject_type=${subject_type}&initiator_subject_id=${subject_id}`, true],
      ["initiator_subject_id=somebody-else", false],
      [`canceller_subject_type=${canceller.subject_type}&canceller_subject_id=${canceller.subject_id}`, true],
      ["canceller_subject_id=somebody-else", false],
      ["signer_subject_id=somebody-else", false],
      ["status=cancelled&signer_subject_type=api_key", false],
    ] as const) {
      const found = ids(await world.get(`${await operationsPath(world)}?limit=100&${query}`));
      should(found.includes(operation.operation_id)).equal(is, query);
    }
    for (const query of ["status=x", "address=x", "wallet_id=x", "chain_selector=x", "chain_environment=x"]) {
      await world.invalid("GET", `${await operationsPath(world)}?${query}`);
    }
  },
);

row("C2", "operations are found by who signed them", ["wallet"], async (world) => {
  const { id, operation } = await confirmed(world);
  const { subject_type, subject_id } = operation.signer;
  const path = await operationsPath(world);
  const query = `signer_subject_type=${subject_type}&signer_subject_id=${subject_id}`;
  should(ids(await world.get(`${path}?limit=100&${query}`))).containEql(id);
  const drafts = await world.get(`${path}?limit=100&status=pending_signature&${query}`);
  should(drafts.data).be.empty();
});

row(
  "S7 C4",
  "what reverts ends in failed, with the reason; its id may be used again",
  ["local"],
  async (world) => {
    const transfer = (value: bigint) => ERC20.encodeFunctionData("transfer", [freshAddress(), value]);
    const transactions = [{ to: world.token, value: "0", data: transfer(10n ** 30n) }];
    const { id, path, body } = await world.submit({ transactions });
    await world.status(path, "failed");
    const events = await told(world, id);
    should(events.at(-1).payload.status_reason).match(/InsufficientBalance/);
    should(statuses(events)).eql(
      [...LADDER.slice(0, LADDER.indexOf("broadcasting") + 1), "failed"].filter((status) =>
        statuses(events).includes(status),
      ),
    );
    await world.expect(
      201,
      "POST",
      await operationsPath(world),
      await world.newOperation({ wallet_operation_id: body.wallet_operation_id }),
    );
  },
);

row("C7", "all transactions of an operation are executed, or none", ["local"], async (world) => {
  const channel = await world.shared();
  const { wallet } = await world.wallet();
  await world.expect(200, "POST", "/local/faucet", { to: wallet.address, amount: "10" });
  const receiver = freshAddress();
  const transfer = (value: bigint) => ({
    to: world.token,
    value: "0",
    data: ERC20.encodeFunctionData("transfer", [receiver, value]),
  });
  const balance = async () => {
    const call_data = ERC20.encodeFunctionData("balanceOf", [receiver]);
    const query = await world.ask(channel, world.newQuery({ call_data }));
    return BigInt(decoded(query.verifiable_result).data.result.raw_return_data);
  };
  const failing = await world.submit({ transactions: [transfer(3n), transfer(10n ** 30n)] });
  await world.status(failing.path, "failed");
  should(await balance()).equal(0n);
  const both = await world.submit({ transactions: [transfer(3n), transfer(4n)] });
  await world.status(both.path, "confirmed_latest", "confirmed_safe", "confirmed");
  should(await balance()).equal(7n);
});

row("C7", "value is paid from the wallet's own balance", ["local"], async (world) => {
  const { wallet } = await world.wallet();
  const transactions = [{ to: freshAddress(), value: "1000", data: "0x" }];
  const poor = await world.submit({ transactions });
  await world.status(poor.path, "failed");
  await world.expect(200, "POST", "/local/faucet", { to: wallet.address, amount: "1000", token: "native" });
  const rich = await world.submit({ transactions });
  await world.status(rich.path, "confirmed_latest", "confirmed_safe", "confirmed");
});

row("C2 C7", "an RSA wallet takes RSA signatures of its keys, and no other", ["local"], async (world) => {
  const [signer, stranger] = [rsaSigner(), rsaSigner()];
  const owner = { wallet_type: "rsa", wallet_owner_address: freshAddress() };
  const { wallet_id } = await world.expect(201, "POST", "/wallets", {
    ...world.newWallet([], owner),
    configuration: { allowed_signers: [signer.key] },
  });
  const { address } = await world.status(`/wallets/${wallet_id}`, "deployed");
  const path = await operationsPath(world);
  const body = await world.newOperation({ address });
  const digest = digestOf(body, world.network.chain_id);
  const other = digestOf(await world.newOperation({ address }), world.network.chain_id);
  await world.invalid("POST", path, { ...body, signature: stranger.sign(digest) });
  await world.invalid("POST", path, { ...body, signature: signer.sign(other) });
  await world.invalid("POST", path, await world.signed(body));
  const { operation_id } = await world.expect(201, "POST", path, { ...body, signature: signer.sign(digest) });
  await world.status(`${path}/${operation_id}`, "confirmed_latest", "confirmed_safe", "confirmed");
});

row("C4", "a relay that fails for good ends in failed, with a reason", ["local"], async (world) => {
  const failure = { kind: "operation", times: 1, reason: "as a test wants it" };
  should((await world.call("POST", "/local/failures", failure)).status).be.below(300);
  const { id, path } = await world.submit();
  await world.status(path, "failed");
  should((await told(world, id)).at(-1).payload.status_reason).equal("as a test wants it");
});

row(
  "C7",
  "a wallet tells its EIP-712 domain, and says what it has executed",
  ["wallet", "local"],
  async (world) => {
    const { wallet } = await world.wallet();
    const channel = await world.channel();
    const query = await world.ask(
      channel,
      world.newQuery({
        contract_address: wallet.address,
        call_data: WALLET.encodeFunctionData("eip712Domain"),
      }),
    );
    const [, name, version, chainId, contract] = WALLET.decodeFunctionResult(
      "eip712Domain",
      decoded(query.verifiable_result).data.result.raw_return_data,
    );
    should([name, version, String(chainId), contract]).eql([
      "CLLSmartAccount",
      "1",
      world.network.chain_id,
      wallet.address,
    ]);
    const event = { name: "operationId", type: "uint256", internalType: "uint256", indexed: true };
    const abi = [{ type: "event", name: "OperationExecuted", anonymous: false, inputs: [event] }];
    const watcher = world.newWatcher({ address: wallet.address, events: ["OperationExecuted"], abi });
    const { watcher_id } = await world.expect(201, "POST", `/channels/${channel}/watchers`, watcher);
    await world.status(`/channels/${channel}/watchers/${watcher_id}`, "active");
    const { body } = await world.submit();
    const found = await world.until("the wallet's event", async () => {
      const page = await world.get(`/channels/${channel}/events/search?event_name=OperationExecuted`);
      return page.events[0];
    });
    const { params } = decoded(found.payload.verifiable_event).chain_event;
    should(params).eql({ operation_id: body.wallet_operation_id });
  },
);
