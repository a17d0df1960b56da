import { hostname } from "node:os";
import should from "should";
import { DEFAULT_API_KEY } from "../../service/src/index.ts";
import { atOnce } from "../faults/at-once.ts";
import { acceptsFromOutside, OUTSIDE, openTo } from "./open-service/from-elsewhere.ts";
import { type Start, withService, withServiceHere } from "./open-service/starts.ts";

const AT_ONCE = 4;
const OWN_KEY = "a-key-that-nobody-knows";
const ALL = ["0.0.0.0", "::"] as const;
/** Every way to name an address: all of them, one of this machine, this machine, and texts that only look alike. */
const HOSTS: readonly string[] = [
  ...[...ALL, "0", "0x0", "00.0.0.0", "0.0", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "[::]", "*", ""],
  ...[...OUTSIDE, ...OUTSIDE.map((address) => `::ffff:${address}`), hostname()],
  ...["127.0.0.1 ", " localhost", "localhost.", "LOCALHOST", "127.1", "127.0.0.2", "localhost,0.0.0.0"],
  ...["127.0.0.1,0.0.0.0", "127.0.0.1\n0.0.0.0", "http://0.0.0.0", "127.0.0.1:80@0.0.0.0", "undefined"],
  ...["127.0.0.1", "localhost", "::1", "[::1]"],
];
/** Every way to use the default key. */
const KEYS: readonly Start[] = [
  {},
  { args: ["--api-key", DEFAULT_API_KEY] },
  { args: ["--api-key", OWN_KEY, "--api-key", DEFAULT_API_KEY] },
  { args: ["--api-key", ""] },
  { args: ["--api-key", ","], env: { CREC_API_KEY: OWN_KEY } },
  { env: { CREC_API_KEY: "" } },
  { env: { CREC_API_KEY: DEFAULT_API_KEY } },
  { env: { CREC_API_KEY: ` ,${OWN_KEY} , ${DEFAULT_API_KEY} ` } },
];
const named = (host: string): Start[] => [
  { args: [`--host=${host}`] },
  { env: { CREC_SERVICE_HOST: host } },
  { args: [`--host=${host}`], env: { CREC_SERVICE_HOST: "127.0.0.1" } },
];
const both = (one: Start, other: Start): Start => ({
  args: [...(one.args ?? []), ...(other.args ?? [])],
  env: { ...one.env, ...other.env },
});

async function tryAll(starts: readonly Start[], start: typeof withService) {
  const open: string[] = [];
  let refused = 0;
  await atOnce(
    AT_ONCE,
    starts.map((one) => async () => {
      const found = await start(one, async (ready) => {
        if (ready) return openTo(ready);
        refused += 1;
        return [];
      });
      if (found.length > 0) open.push(`${JSON.stringify(one)}: ${found}`);
    }),
  );
  process.stdout.write(`    ${starts.length} starts, ${refused} refused\n`);
  return { open, refused };
}

/** The key is in the documentation: whoever reaches the service could use it. */
describe("the default key and an address that others reach", function () {
  this.timeout(900_000);

  before(function () {
    if (OUTSIDE.length === 0) this.skip();
  });

  it("never come together, however address and key are named", async () => {
    const starts = [
      ...HOSTS.flatMap(named),
      ...ALL.flatMap((host) => KEYS.map((key) => both({ args: [`--host=${host}`] }, key))),
      ...ALL.map((host) => ({ args: ["--host=127.0.0.1"], env: { CREC_SERVICE_HOST: host } })),
    ];
    const { open, refused } = await tryAll(starts, withServiceHere);
    should(open).be.empty();
    should(refused).be.above(starts.length / 2);
    should(refused).be.below(starts.length);
  });

  it("never come together in a process of its own, as people start it", async () => {
    const starts: Start[] = [
      ...ALL.flatMap((host) => [
        { args: [`--host=${host}`] },
        ...["service/src/cli.ts", "scripts/service.ts", "scripts/start.ts"].map((script) => ({
          ...{ script, env: { CREC_SERVICE_HOST: host } },
        })),
      ]),
      ...OUTSIDE.map((address) => ({
        ...{ first: "localhost-elsewhere.mjs", args: ["--host=localhost"], env: { OTHER_ADDRESS: address } },
      })),
    ];
    const { open, refused } = await tryAll(starts, withService);
    should(open).be.empty();
    should(refused).equal(starts.length);
  });

  it("leave a service with a key of its own, which takes no other one", async () => {
    for (const host of ALL) {
      await withService({ args: [`--host=${host}`, "--api-key", OWN_KEY] }, async (ready) => {
        if (!ready) throw new Error(`It does not start on ${host}.`);
        should(await acceptsFromOutside(ready, OWN_KEY)).be.true();
        should(await openTo(ready)).be.empty();
      });
    }
  });

  it("are found out where the service does not refuse them", async () => {
    for (const host of ALL) {
      const found = await withService(
        { args: [`--host=${host}`], first: "without-guard.mjs" },
        async (ready) => (ready ? openTo(ready) : []),
      );
      should(found.some((one) => one.endsWith("the default key works"))).be.true();
      process.stdout.write(`    without the guard, on ${host}: ${found.length} ways in\n`);
    }
  });
});
