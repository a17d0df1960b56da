import should from "should";
import { ecdsaSigner, freshAddress, getAddress, rsaSigner } from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World } from "../world.ts";

export const { rows, row } = table();

const ids = ({ data }: Json) => data.map(({ wallet_id }: Json) => wallet_id);
const create = (world: World, body: Json) => world.expect(201, "POST", "/wallets", body);

row("S3 C3", "a wallet is pending when it is created, with what was sent", ["wallet"], async (world) => {
  const { created, signer, channel } = await world.wallet();
  should(created.wallet_id).match(UUID);
  should(created.status).equal("pending");
  should(created.name).match(/^wallet /);
  should(created.wallet_type).equal("ecdsa");
  should(created.wallet_owner_address).equal(signer.address);
  should(created.chain_selector).equal(world.network.chain_selector);
  should(created.status_channel_id).equal(channel);
  should(created.address).match(/^(0x[0-9a-fA-F]{40})?$/);
});

row("S3 C4", "it becomes deployed, at a permanent address", ["wallet"], async (world) => {
  const { wallet } = await world.wallet();
  should(wallet.address).equal(getAddress(wallet.address));
  should((await world.get(`/wallets/${wallet.wallet_id}`)).address).equal(wallet.address);
});

row("S3 S6 C4", "each status has one event, in order, in its status channel", ["wallet"], async (world) => {
  const { wallet, channel } = await world.wallet();
  const statusEvents = await world.statusEvents(channel, "wallet_id", wallet.wallet_id);
  statusEvents
    .map(({ payload }: Json) => payload.status)
    .slice(0, 3)
    .should.eql(["pending", "deploying", "deployed"]);
  for (const { headers, payload } of statusEvents) {
    should(headers.type).equal("wallet.status");
    should(payload).have.properties(["status_reason", "timestamp"]);
    should(payload.chain_selector).equal(world.network.chain_selector);
  }
  should(statusEvents[2].payload.address).equal(wallet.address);
});

row("C3", "without a status channel there are no events", ["local"], async (world) => {
  const wallet = await create(world, world.newWallet([]));
  await world.status(`/wallets/${wallet.wallet_id}`, "deployed");
  should(wallet.status_channel_id).be.undefined();
  const { data } = await world.get("/channels?limit=50");
  for (const { channel_id } of data) {
    const page = await world.get(`/channels/${channel_id}/events/search?wallet_id=${wallet.wallet_id}`);
    should(page.events).be.empty();
  }
});

row("C2", "what a wallet needs is required, and must be right", [], async (world) => {
  const right = world.newWallet([freshAddress()]);
  for (const field of ["name", "wallet_owner_address", "chain_selector", "wallet_type"]) {
    await world.invalid("POST", "/wallets", { ...right, [field]: undefined });
    await world.invalid("POST", "/wallets", { ...right, [field]: 5 });
    await world.invalid("POST", "/wallets", { ...right, [field]: "" });
  }
  for (const change of [
    { name: " " },
    { name: "x".repeat(256) },
    { description: "x".repeat(256) },
    { wallet_type: "ed25519" },
    { chain_selector: "abc" },
    { status_channel_id: "abc" },
    { configuration: [] },
    { configuration: { allowed_signers: "0x" } },
  ]) {
    await world.invalid("POST", "/wallets", { ...right, ...change });
  }
  await world.conflict("CHAIN_UNAVAILABLE", "POST", "/wallets", { ...right, chain_selector: "1" });
});

row("C1", "an unknown status channel has its own error code", [], async (world) => {
  const body = world.newWallet([freshAddress()], { status_channel_id: NOWHERE });
  await world.missing("CHANNEL_NOT_FOUND", "POST", "/wallets", body);
});

row("C3", "a wallet has at most 10 signers, each named once and of its kind", [], async (world) => {
  const signers = Array.from({ length: 11 }, freshAddress);
  const [one = ""] = signers;
  const { key } = rsaSigner();
  for (const wrong of [signers, [one, one.toLowerCase()], ["0x12"], [5], [{ e: "0x010001" }], [key]]) {
    await world.invalid("POST", "/wallets", world.newWallet(wrong as string[]));
    const older = { configuration: undefined, allowed_ecdsa_signers: wrong };
    await world.invalid("POST", "/wallets", world.newWallet([], older));
  }
  const rsa = { wallet_type: "rsa" };
  for (const wrong of [
    [key, key],
    [one],
    [{ ...key, n: key.n.slice(0, 500) }],
    [{ ...key, e: "0x1" }],
    [{ n: key.n }],
  ]) {
    await world.invalid(
      "POST",
      "/wallets",
      world.newWallet(wrong as string[], { ...rsa, wallet_owner_address: one }),
    );
  }
});

row("C2 C3", "signers are accepted in both fields and returned in both", ["local"], async (world) => {
  const signers = Array.from({ length: 10 }, freshAddress);
  const newer = await create(world, world.newWallet(signers));
  const older = {
    configuration: undefined,
    allowed_ecdsa_signers: signers,
    wallet_owner_address: signers[0],
  };
  for (const wallet of [newer, await create(world, world.newWallet([], older))]) {
    should(wallet.configuration.allowed_signers).eql(signers);
    should(wallet.allowed_ecdsa_signers).eql(signers);
  }
  const { key } = rsaSigner();
  const rsa = { wallet_type: "rsa", wallet_owner_address: signers[0] };
  for (const form of [
    { configuration: { allowed_signers: [key] } },
    { configuration: undefined, allowed_rsa_signers: [key] },
  ]) {
    const wallet = await create(world, world.newWallet([], { ...rsa, ...form }));
    should(wallet.configuration.allowed_signers).eql([key]);
    should(wallet.allowed_rsa_signers).eql([key]);
  }
});

row("C2", "wallets are of four types", ["local"], async (world) => {
  for (const wallet_type of ["ecdsa", "rsa", "protected_ecdsa", "protected_rsa"]) {
    const wallet = await create(world, world.newWallet([], { wallet_type }));
    should(wallet.wallet_type).equal(wallet_type);
    const found = await world.get(`/wallets?type=${wallet_type}&limit=100`);
    found.data.every((one: Json) => one.wallet_type === wallet_type).should.be.true();
    ids(found).should.containEql(wallet.wallet_id);
  }
});

row("C1", "names of wallets are unique, also after a rename", ["local"], async (world) => {
  const first = await create(world, world.newWallet([]));
  const second = await create(world, world.newWallet([]));
  const { name } = first;
  await world.conflict("WALLET_ALREADY_EXISTS", "POST", "/wallets", world.newWallet([], { name }));
  await world.conflict("WALLET_ALREADY_EXISTS", "PATCH", `/wallets/${second.wallet_id}`, { name });
  const archive = { name, status: "archived" };
  await world.conflict("WALLET_ALREADY_EXISTS", "PATCH", `/wallets/${second.wallet_id}`, archive);
  should((await world.get(`/wallets/${second.wallet_id}`)).status).not.equal("archived");
  await world.expect(200, "PATCH", `/wallets/${first.wallet_id}`, { status: "archived" });
  const taken = await world.conflict(
    "WALLET_ALREADY_EXISTS",
    "POST",
    "/wallets",
    world.newWallet([], { name }),
  );
  should(taken.message).match(/archived/);
});

row("C2", "name and description change", ["wallet"], async (world) => {
  const { wallet } = await world.wallet();
  const path = `/wallets/${wallet.wallet_id}`;
  const name = world.name("renamed");
  should((await world.expect(200, "PATCH", path, { name })).name).equal(name);
  const changed = await world.expect(200, "PATCH", path, { description: "new" });
  should(changed).containDeep({ name, description: "new", status: "deployed", address: wallet.address });
  should(await world.get(path)).eql(changed);
  for (const change of [{ name: "" }, { name: "x".repeat(256) }, { status: "deployed" }, { status: 1 }]) {
    await world.invalid("PATCH", path, change);
  }
});

row("S3 C1 C4", "archiving is immediate, has one event, and hides the wallet", ["local"], async (world) => {
  const channel = await world.channel();
  const wallet = await create(world, world.newWallet([], { status_channel_id: channel }));
  const path = `/wallets/${wallet.wallet_id}`;
  await world.status(path, "deployed");
  should((await world.expect(200, "PATCH", path, { status: "archived" })).status).equal("archived");
  const search = `/wallets?name=${encodeURIComponent(wallet.name)}`;
  should(ids(await world.get(search))).eql([]);
  should(ids(await world.get(`${search}&status=deployed`))).eql([]);
  should(ids(await world.get(`${search}&status=archived&status=deployed`))).eql([wallet.wallet_id]);
  should((await world.get(path)).status).equal("archived");
  const statusEvents = await world.statusEvents(channel, "wallet_id", wallet.wallet_id);
  statusEvents
    .map(({ payload }) => payload.status)
    .should.eql(["pending", "deploying", "deployed", "archived"]);
});

row("C4", "a wallet that is archived before it is deployed stays archived", ["local"], async (world) => {
  const channel = await world.channel();
  const wallet = await create(world, world.newWallet([], { status_channel_id: channel }));
  const path = `/wallets/${wallet.wallet_id}`;
  await world.expect(200, "PATCH", path, { status: "archived" });
  // A wallet that is created later is deployed: the first would have been by then.
  const later = await create(world, world.newWallet([]));
  await world.status(`/wallets/${later.wallet_id}`, "deployed");
  should((await world.get(path)).status).equal("archived");
  const statusEvents = await world.statusEvents(channel, "wallet_id", wallet.wallet_id);
  should(statusEvents.at(-1).payload.status).equal("archived");
});

row("C1 C4", "an archived wallet refuses changes and operations", ["local"], async (world) => {
  const wallet = await create(world, world.newWallet([]));
  const path = `/wallets/${wallet.wallet_id}`;
  const deployed = await world.status(path, "deployed");
  await world.expect(200, "PATCH", path, { status: "archived" });
  for (const change of [{ name: world.name() }, { description: "x" }, { status: "archived" }]) {
    await world.conflict("WALLET_ALREADY_ARCHIVED", "PATCH", path, change);
  }
  const { channel } = await world.wallet();
  const body = await world.newOperation({ address: deployed.address });
  await world.conflict("WALLET_ALREADY_ARCHIVED", "POST", `/channels/${channel}/operations`, body);
});

row("C1", "a draft of a wallet that was archived meanwhile cannot be finalized", ["local"], async (world) => {
  const signer = ecdsaSigner();
  const { wallet_id } = await create(world, world.newWallet([signer.address]));
  const { address } = await world.status(`/wallets/${wallet_id}`, "deployed");
  const { operation, body, path } = await world.draft({ address });
  await world.expect(200, "PATCH", `/wallets/${wallet_id}`, { status: "archived" });
  const signature = await signer.sign(body, world.network.chain_id);
  const finalize = { status: "accepted", signature, digest: operation.digest };
  await world.conflict("WALLET_ALREADY_ARCHIVED", "PATCH", path, finalize);
});

row("C1", "an unknown wallet has its own error code", [], async (world) => {
  await world.missing("WALLET_NOT_FOUND", "GET", `/wallets/${NOWHERE}`);
  await world.missing("WALLET_NOT_FOUND", "PATCH", `/wallets/${NOWHERE}`, { name: world.name() });
});

row(
  "C2",
  "wallets are found by name, network, environment, owner, address, type and status",
  ["wallet"],
  async (world) => {
    const { wallet } = await world.wallet();
    const { name } = await world.get(`/wallets/${wallet.wallet_id}`);
    const { network } = world;
    const found = async (query: string) => {
      const page = await world.get(`/wallets?name=${encodeURIComponent(name)}&${query}`);
      return ids(page).includes(wallet.wallet_id);
    };
    const other = network.type === "testnet" ? "mainnet" : "testnet";
    for (const [query, is] of [
      [`chain_selector=${network.chain_selector}`, true],
      ["chain_selector=1", false],
      [`chain_environment=${network.type}`, true],
      [`chain_environment=${other}`, false],
      [`owner=${wallet.wallet_owner_address.toLowerCase()}`, true],
      [`owner=${freshAddress()}`, false],
      [`address=${wallet.address.toLowerCase()}`, true],
      [`address=${freshAddress()}`, false],
      ["type=ecdsa", true],
      ["type=rsa", false],
      ["status=deployed", true],
      ["status=failed&status=pending", false],
      ["status=failed&status=deployed", true],
    ] as const) {
      should(await found(query)).equal(is, query);
    }
    for (const query of [
      "owner=x",
      "address=x",
      "type=x",
      "status=x",
      "chain_selector=x",
      "chain_environment=x",
    ]) {
      await world.invalid("GET", `/wallets?${query}`);
    }
  },
);

row(
  "S7 C4",
  "a deployment that fails ends in failed, with a reason; the wallet can be archived",
  ["local"],
  async (world) => {
    const channel = await world.channel();
    const failure = { kind: "deployment", times: 1, reason: "as a test wants it" };
    should((await world.call("POST", "/local/failures", failure)).status).be.below(300);
    const wallet = await create(world, world.newWallet([], { status_channel_id: channel }));
    const path = `/wallets/${wallet.wallet_id}`;
    await world.status(path, "failed");
    const last = (await world.statusEvents(channel, "wallet_id", wallet.wallet_id)).at(-1);
    should(last.payload).containDeep({ status: "failed", status_reason: "as a test wants it" });
    await world.expect(200, "PATCH", path, { status: "archived" });
  },
);
