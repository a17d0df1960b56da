import should from "should";
import { decoded, digestOf, ERC20, freshAddress, getAddress, rsaSigner, WALLET } from "../chain.ts";
import { CONFIRMED_PATH, confirmed, operationsPath, statusEvents, statuses } from "../operations.ts";
import { table } from "../row.ts";

export const { rows, row } = table();

row(
  "S3 C4",
  "with a signature it climbs from accepted to where the network ends",
  ["wallet"],
  async (world) => {
    const { id, operation } = await confirmed(world);
    const steps = statuses(await statusEvents(world, id));
    if (world.has("local")) steps.should.eql(CONFIRMED_PATH);
    steps.should.eql(CONFIRMED_PATH.filter((status) => steps.includes(status)));
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
  for (const { headers, payload } of await statusEvents(world, id)) {
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
    for (const { payload } of await statusEvents(world, id)) {
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

row(
  "S7 C4",
  "what reverts ends in failed, with the reason; its id may be used again",
  ["local"],
  async (world) => {
    const transfer = (value: bigint) => ERC20.encodeFunctionData("transfer", [freshAddress(), value]);
    const transactions = [{ to: world.token, value: "0", data: transfer(10n ** 30n) }];
    const { id, path, body } = await world.submit({ transactions });
    await world.status(path, "failed");
    const events = await statusEvents(world, id);
    should(events.at(-1).payload.status_reason).match(/InsufficientBalance/);
    should(statuses(events)).eql(
      [...CONFIRMED_PATH.slice(0, CONFIRMED_PATH.indexOf("broadcasting") + 1), "failed"].filter((status) =>
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

row("C2 C7", "an RSA wallet accepts only RSA signatures of its keys", ["local"], async (world) => {
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
  should((await statusEvents(world, id)).at(-1).payload.status_reason).equal("as a test wants it");
});

row(
  "C7",
  "a wallet returns its EIP-712 domain, and what it has executed",
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
