import should from "should";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID } from "../world.ts";

export const { rows, row } = table();

const names = ({ data }: Json) => data.map(({ name }: Json) => name);
const listed = (name: string, more = "") => `/channels?name=${encodeURIComponent(name)}${more}`;

row("C2 C3", "a channel is created active, with what was sent", [], async (world) => {
  const name = world.name();
  const channel = await world.expect(201, "POST", "/channels", { name, description: "of a test" });
  should(channel.channel_id).match(UUID);
  should(channel).containDeep({ name, description: "of a test", status: "active" });
  should(await world.get(`/channels/${channel.channel_id}`)).eql(channel);
  await world.expect(200, "PATCH", `/channels/${channel.channel_id}`, { status: "archived" });
});

row("C2", "a channel's name has 1 to 255 characters and is not blank", [], async (world) => {
  for (const name of [undefined, "", "   ", "\t\n", "x".repeat(256), 5, null, ["x"]]) {
    await world.invalid("POST", "/channels", { name });
  }
  const id = await world.channel(world.name().padEnd(255, "x"));
  for (const name of ["", " ", "x".repeat(256), 5]) await world.invalid("PATCH", `/channels/${id}`, { name });
});

row("C2", "a description has at most 255 characters", [], async (world) => {
  await world.invalid("POST", "/channels", { name: world.name(), description: "x".repeat(256) });
  const id = await world.channel();
  await world.invalid("PATCH", `/channels/${id}`, { description: "x".repeat(256) });
  const changed = await world.expect(200, "PATCH", `/channels/${id}`, { description: "x".repeat(255) });
  should(changed.description).have.length(255);
});

row(
  "C1",
  "names of channels are unique when they are created, and when they are renamed",
  [],
  async (world) => {
    const [first, second] = [world.name(), world.name()];
    await world.channel(first);
    const id = await world.channel(second);
    await world.conflict("CHANNEL_ALREADY_EXISTS", "POST", "/channels", { name: first });
    await world.conflict("CHANNEL_ALREADY_EXISTS", "PATCH", `/channels/${id}`, { name: first });
    should((await world.get(`/channels/${id}`)).name).equal(second);
    await world.expect(200, "PATCH", `/channels/${id}`, { name: second });
  },
);

row(
  "C1",
  "an archived channel keeps its name, and the error says that it is hidden",
  ["local"],
  async (world) => {
    const name = world.name();
    const id = await world.channel(name);
    await world.expect(200, "PATCH", `/channels/${id}`, { status: "archived" });
    const { message } = await world.conflict("CHANNEL_ALREADY_EXISTS", "POST", "/channels", { name });
    should(message).match(/archived/);
  },
);

row("C2", "name, description and status change, each alone or together", [], async (world) => {
  const id = await world.channel();
  const path = `/channels/${id}`;
  const name = world.name("renamed");
  should(await world.expect(200, "PATCH", path, { name })).containDeep({ name, status: "active" });
  should(await world.expect(200, "PATCH", path, { description: "new" })).containDeep({
    name,
    description: "new",
  });
  const all = await world.expect(200, "PATCH", path, {
    name: `${name}!`,
    description: "newer",
    status: "archived",
  });
  should(all).containDeep({ name: `${name}!`, status: "archived" });
  should(await world.get(path)).eql(all);
});

row("C2", "a description is not blank, and can be changed and not removed", [], async (world) => {
  for (const description of ["", " ", "x".repeat(256)]) {
    await world.invalid("POST", "/channels", { name: world.name(), description });
    await world.invalid("PATCH", `/channels/${await world.channel()}`, { description });
  }
});

row("C2", "the only status that can be asked for is archived", [], async (world) => {
  const id = await world.channel();
  for (const status of ["active", "deleted", "", 1])
    await world.invalid("PATCH", `/channels/${id}`, { status });
});

row("C1", "an unknown channel has its own error code in every call", [], async (world) => {
  const path = `/channels/${NOWHERE}`;
  for (const [method, rest, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { name: world.name() }],
    ["GET", "/watchers", undefined],
    ["POST", "/watchers", world.newWatcher()],
    ["GET", `/watchers/${NOWHERE}`, undefined],
    ["GET", "/operations", undefined],
    ["GET", `/operations/${NOWHERE}`, undefined],
    ["PATCH", `/operations/${NOWHERE}`, { status: "cancelled" }],
    ["GET", "/queries", undefined],
    ["POST", "/queries", world.newQuery()],
    ["GET", `/queries/${NOWHERE}`, undefined],
    ["GET", "/events", undefined],
    ["GET", "/events?offset=1", undefined],
    ["GET", "/events/search", undefined],
    ["GET", `/events/search/${NOWHERE}`, undefined],
  ] as const) {
    await world.missing("CHANNEL_NOT_FOUND", method, path + rest, body);
  }
});

row("C2", "channels are found by a part of the name, without case", [], async (world) => {
  const name = world.name("Found By Part");
  await world.channel(name);
  const part = name.slice(3, -3);
  for (const asked of [name, part, part.toUpperCase(), part.toLowerCase()]) {
    should(names(await world.get(listed(asked)))).eql([name]);
  }
  should(names(await world.get(listed(`${name}!`)))).eql([]);
  should(names(await world.get(listed(part.replace(" ", "%"))))).eql([]);
});

row("S3 C1", "archived channels are left out of lists unless the status names them", [], async (world) => {
  const prefix = world.name();
  await world.channel(`${prefix} active`);
  const id = await world.channel(`${prefix} archived`);
  await world.expect(200, "PATCH", `/channels/${id}`, { status: "archived" });
  should(names(await world.get(listed(prefix)))).eql([`${prefix} active`]);
  should(names(await world.get(listed(prefix, "&status=active")))).eql([`${prefix} active`]);
  should(names(await world.get(listed(prefix, "&status=archived")))).eql([`${prefix} archived`]);
  const both = names(await world.get(listed(prefix, "&status=active&status=archived")));
  should(both.sort()).eql([`${prefix} active`, `${prefix} archived`]);
  should((await world.get(`/channels/${id}`)).status).equal("archived");
  await world.invalid("GET", listed(prefix, "&status=gone"));
});

row(
  "C1 C2",
  "a channel with a living watcher cannot be archived; without, it can",
  ["local"],
  async (world) => {
    const id = await world.channel();
    const { watcher_id } = await world.expect(201, "POST", `/channels/${id}/watchers`, world.newWatcher());
    const archive = { status: "archived" };
    await world.conflict(undefined, "PATCH", `/channels/${id}`, archive);
    await world.status(`/channels/${id}/watchers/${watcher_id}`, "active");
    await world.conflict(undefined, "PATCH", `/channels/${id}`, {
      ...archive,
      name: world.name("half done"),
    });
    should((await world.get(`/channels/${id}`)).name).not.match(/half done/);
    await world.expect(202, "PATCH", `/channels/${id}/watchers/${watcher_id}`, archive);
    await world.status(`/channels/${id}/watchers/${watcher_id}`, "archived");
    await world.expect(200, "PATCH", `/channels/${id}`, archive);
  },
);
