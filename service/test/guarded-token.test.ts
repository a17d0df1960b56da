import should from "should";
import { type Log, parseAbi, parseEventLogs } from "viem";
import { startService } from "../src/index.ts";
import { Store } from "../src/store/store.ts";
import { type Api, BLOCK_TIME_MS, startTestService, temporaryFolder } from "./support.ts";

/** As the standards' events are written, and OpenZeppelin's contracts emit them. */
const EVENTS = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
  "event Paused(address account)",
  "event Unpaused(address account)",
  "event Upgraded(address indexed implementation)",
]);
const ZERO = `0x${"0".repeat(40)}`;
const OTHER = "0x1111111111111111111111111111111111111111";
const THIRD = "0x2222222222222222222222222222222222222222";
const MINTER = "0x9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a6";

type Called = { transaction_hash: string; from: string };

describe("the demo contract GuardedToken", function () {
  this.timeout(60_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let admin: string;

  before(async () => {
    ({ api, dispose } = await startTestService());
    admin = (await api.ok<{ relayer: string }>("GET", "/local/status")).relayer;
  });
  after(() => dispose());

  const rpc = <T>(method: string, ...params: unknown[]) => rpcOf<T>(api, method, params);
  const call = (body: object) => api.call<{ message?: string }>("POST", "/local/guarded-token", body);

  /** The events of a call, as a reader of the standards sees them. */
  async function eventsOf(body: object): Promise<unknown[]> {
    const { transaction_hash, from } = await api.ok<Called>("POST", "/local/guarded-token", body);
    should(from).equal(admin);
    const { logs } = await rpc<{ logs: Log[] }>("eth_getTransactionReceipt", transaction_hash);
    const { GuardedToken } = api.ready.contracts;
    should(logs.every(({ address }) => address === GuardedToken?.toLowerCase())).be.true();
    return parseEventLogs({ abi: EVENTS, logs }).map(({ eventName, args }) => [eventName, args]);
  }

  it("emits the standards' events for each action", async () => {
    should(await eventsOf({ action: "mint", to: OTHER, amount: "7" })).deepEqual([
      ["Transfer", { from: ZERO, to: OTHER, value: 7n }],
    ]);
    should(await eventsOf({ action: "transfer", to: OTHER, amount: "3" })).deepEqual([
      ["Transfer", { from: admin, to: OTHER, value: 3n }],
    ]);
    should(await eventsOf({ action: "burn", amount: "2" })).deepEqual([
      ["Transfer", { from: admin, to: ZERO, value: 2n }],
    ]);
    should(await eventsOf({ action: "approve", to: OTHER, amount: "5" })).deepEqual([
      ["Approval", { owner: admin, spender: OTHER, value: 5n }],
    ]);
    should(await eventsOf({ action: "grantRole", role: "MINTER_ROLE", to: OTHER })).deepEqual([
      ["RoleGranted", { role: MINTER, account: OTHER, sender: admin }],
    ]);
    should(await eventsOf({ action: "revokeRole", role: "MINTER_ROLE", to: OTHER })).deepEqual([
      ["RoleRevoked", { role: MINTER, account: OTHER, sender: admin }],
    ]);
    should(await eventsOf({ action: "upgradeTo", to: THIRD })).deepEqual([
      ["Upgraded", { implementation: THIRD }],
    ]);
  });

  it("stays under the service's control when the owner changes", async () => {
    should(await eventsOf({ action: "transferOwnership", to: OTHER })).deepEqual([
      ["OwnershipTransferred", { previousOwner: admin, newOwner: OTHER }],
    ]);
    should(await eventsOf({ action: "transferOwnership", to: THIRD })).deepEqual([
      ["OwnershipTransferred", { previousOwner: OTHER, newOwner: THIRD }],
    ]);
    should(await call({ action: "revokeRole", role: "DEFAULT_ADMIN_ROLE", to: admin })).containDeep({
      status: 400,
      body: { message: `This call of GuardedToken is not possible: OwnAdminRole(caller: ${admin}).` },
    });
  });

  it("does not move while it is paused, and says so", async () => {
    should(await eventsOf({ action: "pause" })).deepEqual([["Paused", { account: admin }]]);
    for (const body of [
      { action: "mint", to: OTHER, amount: "1" },
      { action: "transfer", to: OTHER, amount: "1" },
      { action: "burn", amount: "1" },
      { action: "pause" },
    ]) {
      const { status, body: answer } = await call(body);
      should(status).equal(400);
      should(answer.message).match(/not possible: EnforcedPause\(\)/);
    }
    should(await eventsOf({ action: "unpause" })).deepEqual([["Unpaused", { account: admin }]]);
    should(await eventsOf({ action: "transfer", to: OTHER, amount: "1" })).have.length(1);
    should((await call({ action: "unpause" })).body.message).match(/not possible: ExpectedPause\(\)/);
  });

  it("refuses a call with a value too many, too few or too large, and calls nothing", async () => {
    for (const [body, reason] of [
      [{ action: "mint", to: OTHER }, /^mint needs amount\./],
      [{ action: "grantRole" }, /^grantRole needs role and to\./],
      [{ action: "pause", to: OTHER }, /^pause does not use to\./],
      [{ action: "mint", to: OTHER, amount: "9".repeat(78) }, /amount must fit 256 bits/],
      [{ action: "grantRole", role: "__proto__", to: OTHER }, /role must be one of/],
      [{ action: "constructor" }, /action must be one of/],
      [{ action: "mint", to: ZERO, amount: "1" }, /InvalidReceiver/],
    ] as const) {
      const { status, body: answer } = await call(body);
      should(status).equal(400, JSON.stringify(body));
      should(answer.message).match(reason);
    }
  });
});

describe("a data folder from before the demo contract GuardedToken", function () {
  this.timeout(60_000);

  it("gets the contract at the next start, and keeps the others", async () => {
    const folder = temporaryFolder();
    const options = { dataDir: folder.path, blockTimeMs: BLOCK_TIME_MS, local: true };
    const first = await startService(options);
    await first.close();
    const store = new Store(folder.path);
    const { GuardedToken, ...others } = first.ready.contracts;
    store.settings.set(`contracts:${first.ready.chain_selector}`, others);
    store.close();
    const second = await startService(options);
    try {
      should(second.ready.contracts).containDeep(others);
      should(second.ready.contracts.GuardedToken).be.a.String().and.not.equal(GuardedToken);
    } finally {
      await second.close();
      folder.dispose();
    }
  });
});

async function rpcOf<T>(api: Api, method: string, params: unknown[]): Promise<T> {
  const answer = await fetch(api.ready.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await answer.json()) as { result: T }).result;
}
