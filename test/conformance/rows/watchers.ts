import should from "should";
import { freshAddress, getAddress, TRANSFER } from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World } from "../world.ts";

export const { rows, row } = table();

const ids = ({ data }: Json) => data.map(({ watcher_id }: Json) => watcher_id);
const statuses = (events: Json[]) => events.map(({ payload }) => payload.status);
const create = (world: World, channel: string, change: object = {}) =>
  world.expect(201, "POST", `/channels/${channel}/watchers`, world.newWatcher(change));

row("S3 C3", "a watcher is pending when it is created, with what was sent", ["token"], async (world) => {
  const { channel, created } = await world.watcher();
  should(created.watcher_id).match(UUID);
  should(created.status).equal("pending");
  should(created.channel_id).equal(channel);
  should(created.address).equal(getAddress(world.token));
  should(created.events).eql(["Transfer"]);
  should(created.abi).containDeep([TRANSFER]);
  should(Number.isInteger(created.created_at)).be.true();
});

row("S3 S6", "it becomes active, with one event for each status", ["token"], async (world) => {
  const { channel, id } = await world.watcher();
  const statusEvents = await world.statusEvents(channel, "watcher_id", id);
  statuses(statusEvents).should.eql(["pending", "active"]);
  for (const { headers, payload } of statusEvents) {
    should(headers.type).equal("watcher.status");
    should(payload).have.properties(["status_reason", "timestamp"]);
    should(payload.chain_selector).equal(world.network.chain_selector);
  }
});

row("C2", "what a watcher needs is required, and must be right", [], async (world) => {
  const path = `/channels/${await world.shared()}/watchers`;
  for (const field of ["name", "chain_selector", "address", "events", "abi"]) {
    await world.invalid("POST", path, world.newWatcher({ [field]: undefined }));
    await world.invalid("POST", path, world.newWatcher({ [field]: 5 }));
  }
  const approval = { ...TRANSFER, name: "Approval" };
  for (const change of [
    { name: "abc" },
    { name: "  abc  " },
    { name: "x".repeat(256) },
    { events: [] },
    { events: [""] },
    { events: ["Approval"] },
    { events: ["Transfer", "Approval"] },
    { abi: [] },
    { abi: [approval] },
    { abi: [{ ...TRANSFER, type: "function" }] },
    { abi: [{ ...TRANSFER, inputs: [{ name: "x", type: "uint257" }] }] },
  ]) {
    await world.invalid("POST", path, world.newWatcher(change));
  }
  await world.conflict("CHAIN_UNAVAILABLE", "POST", path, world.newWatcher({ chain_selector: "1" }));
});

row(
  "C1",
  "names of watchers are unique in their channel, when created and when renamed",
  ["token"],
  async (world) => {
    const channel = await world.channel();
    const [first, second] = [await create(world, channel), await create(world, channel)];
    const path = `/channels/${channel}/watchers`;
    const { name } = first;
    await world.conflict("WATCHER_ALREADY_EXISTS", "POST", path, world.newWatcher({ name }));
    await world.conflict("WATCHER_ALREADY_EXISTS", "PATCH", `${path}/${second.watcher_id}`, { name });
    await world.expect(200, "PATCH", `${path}/${first.watcher_id}`, { name });
    await create(world, await world.channel(), { name });
  },
);

row("C2", "a watcher is renamed immediately", ["token"], async (world) => {
  const { path } = await world.watcher();
  const name = world.name("renamed");
  should(await world.expect(200, "PATCH", path, { name })).containDeep({ name, status: "active" });
  should((await world.get(path)).name).equal(name);
  for (const change of [
    { name: "" },
    { name: " " },
    { name: 5 },
    { status: "active" },
    { status: "failed" },
  ]) {
    await world.invalid("PATCH", path, change);
  }
});

row("S3 C2 C4", "archiving answers 202 and archiving, and ends in archived", ["token"], async (world) => {
  const channel = await world.channel();
  const { watcher_id, name } = await create(world, channel);
  const path = `/channels/${channel}/watchers/${watcher_id}`;
  await world.status(path, "active");
  should((await world.expect(202, "PATCH", path, { status: "archived" })).status).equal("archiving");
  await world.status(path, "archived");
  statuses(await world.statusEvents(channel, "watcher_id", watcher_id)).should.eql([
    "pending",
    "active",
    "archiving",
    "archived",
  ]);
  await world.conflict(undefined, "PATCH", path, { status: "archived" });
  const list = `/channels/${channel}/watchers`;
  should(ids(await world.get(list))).eql([]);
  should(ids(await world.get(`${list}?status=active&status=pending`))).eql([]);
  should(ids(await world.get(`${list}?status=archived`))).eql([watcher_id]);
  const taken = await world.conflict("WATCHER_ALREADY_EXISTS", "POST", list, world.newWatcher({ name }));
  if (world.has("local")) should(taken.message).match(/archived/);
});

row(
  "C2",
  "a watcher is renamed and archived in one go, or neither when the name is taken",
  ["token"],
  async (world) => {
    const channel = await world.channel();
    const [first, second] = [await create(world, channel), await create(world, channel)];
    const path = `/channels/${channel}/watchers/${second.watcher_id}`;
    await world.status(path, "active");
    const both = { name: first.name, status: "archived" };
    await world.conflict("WATCHER_ALREADY_EXISTS", "PATCH", path, both);
    should((await world.get(path)).status).equal("active");
    const name = world.name("archived");
    should(await world.expect(202, "PATCH", path, { ...both, name })).containDeep({
      name,
      status: "archiving",
    });
    should(await world.status(path, "archived")).containDeep({ name });
  },
);

row(
  "C1",
  "an unknown watcher, or one of another channel, has its own error code",
  ["token"],
  async (world) => {
    const { id } = await world.watcher();
    const other = await world.channel();
    for (const path of [`/channels/${other}/watchers/${id}`, `/channels/${other}/watchers/${NOWHERE}`]) {
      await world.missing("WATCHER_NOT_FOUND", "GET", path);
      await world.missing("WATCHER_NOT_FOUND", "PATCH", path, { status: "archived" });
    }
  },
);

row("C2", "lists hold summaries, without events and ABI", ["token"], async (world) => {
  const { channel, id } = await world.watcher();
  const { data } = await world.get(`/channels/${channel}/watchers`);
  should(ids({ data })).eql([id]);
  should(data[0]).not.have.properties(["events"]);
  should(data[0]).not.have.properties(["abi"]);
  should(data[0]).containDeep({ status: "active", channel_id: channel });
});

row(
  "C2",
  "watchers are found by name, status, network, address, service and event",
  ["token"],
  async (world) => {
    const { channel, id, path } = await world.watcher();
    const { name } = await world.get(path);
    const other = world.network.type === "testnet" ? "mainnet" : "testnet";
    for (const [query, is] of [
      [`name=${encodeURIComponent(name.slice(2, -2).toUpperCase())}`, true],
      ["name=no-such-name", false],
      ["status=active", true],
      ["status=failed&status=active", true],
      ["status=failed&status=pending", false],
      [`chain_selector=${world.network.chain_selector}`, true],
      ["chain_selector=1", false],
      [`chain_environment=${world.network.type}`, true],
      [`chain_environment=${other}`, false],
      [`address=${world.token.toLowerCase()}`, true],
      [`address=${freshAddress()}`, false],
      ["service=no-such-service", false],
      ["event_name=Transfer", true],
      ["event_name=Approval", false],
    ] as const) {
      should(ids(await world.get(`/channels/${channel}/watchers?${query}`))).eql(is ? [id] : [], query);
    }
    for (const query of ["status=x", "address=x", "chain_selector=x", "chain_environment=x"]) {
      await world.invalid("GET", `/channels/${channel}/watchers?${query}`);
    }
  },
);

row(
  "S7 C4",
  "a service that is not known ends in failed, with a reason; such a watcher can be archived",
  ["local"],
  async (world) => {
    const channel = await world.channel();
    const change = { abi: undefined, service: "no-such-service", service_config: {} };
    const created = await create(world, channel, change);
    should(created).containDeep({ status: "pending", service: "no-such-service" });
    const path = `/channels/${channel}/watchers/${created.watcher_id}`;
    await world.status(path, "failed");
    const statusEvents = await world.statusEvents(channel, "watcher_id", created.watcher_id);
    statuses(statusEvents).should.eql(["pending", "failed"]);
    should(statusEvents.at(-1).payload.status_reason).be.a.String().and.not.be.empty();
    should(ids(await world.get(`/channels/${channel}/watchers?service=no-such-service`))).eql([
      created.watcher_id,
    ]);
    await world.expect(202, "PATCH", path, { status: "archived" });
    await world.status(path, "archived");
  },
);

row(
  "C2",
  "a watcher is made by an ABI or by a service, not by both and not by neither",
  ["local"],
  async (world) => {
    const path = `/channels/${await world.shared()}/watchers`;
    await world.invalid("POST", path, world.newWatcher({ service: "erc20" }));
    await world.invalid("POST", path, world.newWatcher({ abi: undefined }));
    await world.invalid("POST", path, world.newWatcher({ abi: undefined, service: 5 }));
    await world.invalid(
      "POST",
      path,
      world.newWatcher({ abi: undefined, service: "erc20", service_config: "x" }),
    );
  },
);

row("C2", "a watcher of a known service needs no ABI and reports its events", ["local"], async (world) => {
  const channel = await world.channel();
  const { watcher_id } = await create(world, channel, { abi: undefined, service: "erc20" });
  await world.status(`/channels/${channel}/watchers/${watcher_id}`, "active");
  await world.expect(200, "POST", "/local/faucet", {});
  const search = `/channels/${channel}/events/search?type=watcher.event&service=erc20&event_name=Transfer`;
  await world.until("an event of the service", async () => (await world.get(search)).events[0]);
});

row(
  "S3 C3 C4",
  "archiving that fails is archive_failed in its event, failed on the watcher, and can be tried again",
  ["local"],
  async (world) => {
    const channel = await world.channel();
    const { watcher_id } = await create(world, channel);
    const path = `/channels/${channel}/watchers/${watcher_id}`;
    await world.status(path, "active");
    const failure = { kind: "archive", times: 1, reason: "as a test wants it" };
    should((await world.call("POST", "/local/failures", failure)).status).be.below(300);
    await world.expect(202, "PATCH", path, { status: "archived" });
    await world.status(path, "failed");
    const last = (await world.statusEvents(channel, "watcher_id", watcher_id)).at(-1);
    should(last.payload).containDeep({ status: "archive_failed", status_reason: "as a test wants it" });
    const search = `/channels/${channel}/events/search?type=watcher.status&status=archive_failed`;
    should((await world.get(search)).events).have.length(1);
    await world.expect(202, "PATCH", path, { status: "archived" });
    await world.status(path, "archived");
  },
);

row("C4", "provisioning that fails ends in failed, with a reason", ["local"], async (world) => {
  const channel = await world.channel();
  const failure = { kind: "watcher", times: 1, reason: "as a test wants it" };
  should((await world.call("POST", "/local/failures", failure)).status).be.below(300);
  const { watcher_id } = await create(world, channel);
  await world.status(`/channels/${channel}/watchers/${watcher_id}`, "failed");
  const statusEvents = await world.statusEvents(channel, "watcher_id", watcher_id);
  statuses(statusEvents).should.eql(["pending", "failed"]);
  should(statusEvents.at(-1).payload.status_reason).equal("as a test wants it");
});
