import should from "should";
import { getAddress } from "../chain.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID } from "../world.ts";

export const { rows, row } = table();

row("C1", "the health check needs no key", [], async (world) => {
  const answer = await world.call("GET", "/health-check", undefined, { authorization: "" });
  should(answer.status).equal(200);
  should(answer.body).have.property("status");
});

for (const [what, header] of Object.entries({
  missing: () => "",
  wrong: () => "Apikey not-the-right-one",
  malformed: () => "Apikey",
  "of another scheme": (key: string) => `Bearer ${key}`,
  "without a scheme": (key: string) => key,
})) {
  row(
    "C1",
    `a key that is ${what} is refused with 401, and is not repeated in the answer`,
    [],
    async (world) => {
      for (const path of ["/networks", "/channels", `/channels/${NOWHERE}/events`]) {
        const authorization = header(world.target.apiKey);
        const { status, body } = await world.call("GET", path, undefined, { authorization });
        should(status).equal(401);
        should(body?.type).not.equal("ORGANIZATION_NOT_FOUND");
        JSON.stringify(body ?? "")
          .should.not.containEql("not-the-right-one")
          .and.not.containEql(world.target.apiKey);
      }
    },
  );
}

row("C1", "ids are lower-case UUIDs", [], async (world) => {
  const channel = await world.expect(201, "POST", "/channels", { name: world.name() });
  should(channel.channel_id).match(UUID);
  await world.call("PATCH", `/channels/${channel.channel_id}`, { status: "archived" });
  for (const network of (await world.get("/networks")).data) should(network.id).match(UUID);
});

row("C1", "times are whole Unix seconds", [], async (world) => {
  const { created_at } = await world.get(`/channels/${await world.shared()}`);
  should(Number.isInteger(created_at)).be.true();
  should(Math.abs(created_at - Date.now() / 1000)).be.below(3600);
});

row(
  "C1",
  "numbers that pass 2^53 are decimal strings, as answers and in requests",
  ["token"],
  async (world) => {
    should(world.network.chain_selector).match(/^[0-9]+$/);
    const channel = await world.shared();
    const body = world.newQuery({}, { chain_selector: 7759470850252068959n.toString() });
    const text = JSON.stringify(body).replace('"7759470850252068959"', "7759470850252068959");
    await world.invalid("POST", `/channels/${channel}/queries`, text);
  },
);

row("C1", "addresses are taken in any case and shown with checksum", ["local"], async (world) => {
  const owner = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
  for (const given of [owner, `0x${owner.slice(2).toUpperCase()}`]) {
    const wallet = await world.expect(
      201,
      "POST",
      "/wallets",
      world.newWallet([], { wallet_owner_address: given }),
    );
    should(wallet.wallet_owner_address).equal(getAddress(owner));
    const found = await world.get(`/wallets?owner=${given}&limit=100`);
    found.data.map(({ wallet_id }: { wallet_id: string }) => wallet_id).should.containEql(wallet.wallet_id);
  }
});

row("C1", "an invalid address is refused", [], async (world) => {
  const channel = await world.shared();
  for (const address of ["", "0x12", `0x${"g".repeat(40)}`, "12".repeat(20), `0x${"0".repeat(41)}`, 5]) {
    await world.invalid("POST", "/wallets", world.newWallet([], { wallet_owner_address: address }));
    await world.invalid("POST", `/channels/${channel}/watchers`, world.newWatcher({ address }));
    await world.invalid(
      "POST",
      `/channels/${channel}/queries`,
      world.newQuery({ contract_address: address }),
    );
  }
});

row(
  "C1",
  "a body that is not JSON, or no object, is refused in the shape of all errors",
  [],
  async (world) => {
    for (const body of ["{", "", "[]", '"text"', "null"]) {
      if (body !== "") await world.invalid("POST", "/channels", body);
    }
    const csv = await world.call("POST", "/channels", "name", { "content-type": "text/csv" });
    should([400, 415]).containEql(csv.status);
    should(csv.body).have.properties(["type", "message"]);
  },
);

row("C1", "an unknown path has the format of all errors", [], async (world) => {
  for (const [method, path] of [
    ["GET", "/nothing-here"],
    ["DELETE", "/channels"],
    ["POST", "/networks"],
  ] as const) {
    await world.refused({ status: [404, 405] }, method, path, method === "POST" ? {} : undefined);
  }
});

row("C1", "an invalid id is refused", [], async (world) => {
  for (const id of ["abc", "1", NOWHERE.slice(1), `${NOWHERE}0`, "%00", "..%2fnetworks"]) {
    await world.refused({ status: [400, 404] }, "GET", `/channels/${id}`);
    await world.refused({ status: [400, 404] }, "GET", `/wallets/${id}`);
  }
});

row("C1", "too many requests are answered with 429, and when to come again", ["local"], async (world) => {
  const fault = { match: { path: "/networks" }, times: 1, action: "status", status: 429 };
  await world.expect(201, "POST", "/local/faults", { ...fault, headers: { "retry-after": "3" } });
  const answer = await world.call("GET", "/networks");
  should(answer.status).equal(429);
  should(answer.headers.get("retry-after")).equal("3");
  should(answer.body).have.properties(["type", "message"]);
});

row("C1", "a key without an organization is reported by the error's type", ["local"], async (world) => {
  const body = JSON.stringify({ type: "ORGANIZATION_NOT_FOUND", message: "There is none." });
  const fault = { match: { path: "/networks" }, times: 1, action: "status", status: 401, body };
  await world.expect(201, "POST", "/local/faults", fault);
  const answer = await world.call("GET", "/networks");
  should(answer.status).equal(401);
  should(answer.body.type).equal("ORGANIZATION_NOT_FOUND");
});

row("C2 C3", "networks have an id, a name, a selector, a chain id and a family", [], async (world) => {
  const answer = await world.get("/networks");
  const networks = answer.data ?? answer;
  should(networks.length).be.above(0);
  for (const network of networks) {
    should(network.name).be.a.String().and.not.be.empty();
    should(network.chain_selector).match(/^[0-9]{1,20}$/);
    should(network.chain_id).match(/^[0-9]+$/);
    should(network.chain_family).equal("evm");
    if (network.type !== undefined) should(["mainnet", "testnet"]).containEql(network.type);
  }
});

row("C3 C7", "well-known selectors stand for the chains they are known for", [], async (world) => {
  const known: Record<string, string> = {
    "5009297550715157269": "1",
    "16015286601757825753": "11155111",
    "10344971235874465080": "84532",
    "3379446385462418246": "1337",
    "7759470850252068959": "31337",
    "15971525489660198786": "8453",
    "4949039107694359620": "42161",
    "3478487238524512106": "421614",
    "6433500567565415381": "43114",
    "14767482510784806043": "43113",
    "4051577828743386545": "137",
    "16281711391670634445": "80002",
  };
  const answer = await world.get("/networks");
  for (const { chain_selector, chain_id } of answer.data ?? answer) {
    if (chain_selector in known) should(chain_id).equal(known[chain_selector]);
  }
});
