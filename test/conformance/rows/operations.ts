import should from "should";
import { ecdsaSigner, freshAddress, freshId } from "../chain.ts";
import { confirmed, ids, operationsPath } from "../operations.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID } from "../world.ts";

export const { rows, row } = table();

row(
  "C2",
  "the answer to a new operation has its id, and its status where it has more fields",
  ["wallet"],
  async (world) => {
    const { answer, id } = await confirmed(world);
    should(id).match(UUID);
    if (answer.status !== undefined) should(answer.status).equal("accepted");
  },
);

row("C2", "a new operation has no additional fields", ["wallet"], async (world) => {
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
  await world.conflict("CHAIN_UNAVAILABLE", "POST", path, { ...right, chain_selector: "1" });
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

row("C1", "an operation of an unknown wallet has its own error code", ["wallet"], async (world) => {
  const body = await world.newOperation({ address: freshAddress() });
  await world.missing("WALLET_NOT_FOUND", "POST", await operationsPath(world), body);
});

row(
  "C1",
  "an unknown operation, or one of another channel, has its own error code",
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

row("C1", "of two identical concurrent operations, one is refused", ["local"], async (world) => {
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
