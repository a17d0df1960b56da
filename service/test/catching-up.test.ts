import should from "should";
import { toHex } from "viem";
import type { VerifiableEvent } from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type RunningService, startService } from "../src/index.ts";
import { EMITTERS, emit, watchEmitter, watchEmitters } from "./emitters.ts";
import { type Call, LimitedNode, rangeLimit } from "./limited-node.ts";
import { useOwnNode } from "./own-node.ts";
import { Api, BLOCK_TIME_MS, signedText, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

const LEVELS = ["latest", "safe", "finalized"] as const;
const isLogs = ({ method }: Call) => method === "eth_getLogs";

describe("the local service that has many blocks to read", function () {
  this.timeout(120_000);
  const own = useOwnNode();
  let data: ReturnType<typeof temporaryFolder>;
  let node: LimitedNode;
  let service: RunningService;
  let api: Api;
  let channelId: string;

  const start = async () => {
    service = await startService({
      ...{ dataDir: data.path, rpcUrl: node.url, blockTimeMs: BLOCK_TIME_MS, local: true },
      confidences: LEVELS,
    });
    api = new Api(service.ready);
  };
  /** The chain itself, also while no service runs. */
  const chain = () => ({ ready: { rpc_url: own.node.rpcUrl } }) as Api;
  /** Level, block and log of each event, in their order. */
  const told = async () =>
    (await api.events(channelId))
      .filter(({ payload }) => payload.verifiable_event !== undefined)
      .map((event) => signedText<VerifiableEvent>(event).chain_event)
      .map((event) => ({ level: String(event?.confidence), log: `${event?.tx_hash} ${event?.log_index}` }));

  before(async () => {
    data = temporaryFolder();
    node = await LimitedNode.start(own.node.rpcUrl);
    await start();
    channelId = await api.channel();
    await watchEmitters(api, chain(), channelId);
  });
  after(async () => {
    await service.close();
    node.close();
    data.dispose();
  });

  it("observes logs for a new watcher immediately, and reports each log at the weaker level first", async () => {
    await service.close();
    await rpc(chain(), "anvil_mine", [toHex(250)]);
    for (let count = 0; count < 12; count += 1) await emit(chain(), EMITTERS[0], 5);
    Object.assign(node, rangeLimit(5, "block range limit exceeded"));
    node.delay = (calls) => (calls.some(isLogs) ? 60 : 0);
    await start();
    await watchEmitter(api, channelId, "new one", EMITTERS[1]);
    should(await told()).be.empty();
    node.delay = () => 0;
    await rpc(chain(), "anvil_mine", [toHex(20)]);
    const all = await eventually("all events", async () => {
      const events = await told();
      return events.length >= 3 * 60 ? events : undefined;
    });
    should(all).have.length(3 * 60);
    for (const log of new Set(all.map((event) => event.log))) {
      should(all.filter((event) => event.log === log).map(({ level }) => level)).eql([...LEVELS]);
    }
  });

  it("does not use logs of blocks that were replaced meanwhile", async () => {
    const before = (await told()).length;
    const snapshot = await rpc(chain(), "evm_snapshot");
    let isReplaced = false;
    node.edit = async (call, answer) => {
      if (!isLogs(call) || isReplaced) return answer;
      isReplaced = true;
      // Another block of the same number, with a log in it; what is answered was asked of the one before.
      await rpc(chain(), "evm_revert", [snapshot]);
      await emit(chain(), EMITTERS[0], 1);
      return answer;
    };
    await rpc(chain(), "evm_mine");
    await eventually("the replaced block", () => isReplaced || undefined);
    await eventually("the event", async () => ((await told()).length > before ? true : undefined));
    await rpc(chain(), "anvil_mine", [toHex(20)]);
    const all = await eventually("all levels", async () => {
      const events = (await told()).slice(before);
      return events.length >= LEVELS.length ? events : undefined;
    });
    should(all.map(({ level }) => level)).eql([...LEVELS]);
  });
});
