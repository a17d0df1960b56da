import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { scenarioTextOf } from "../../test/support/scenario-files.ts";
import { inVariants, withVariants } from "../../test/support/variants.ts";
import { itWide } from "../../test/support/wide.ts";
import { FileQueue } from "../src/scenarios/queue.ts";
import { SCENARIO_NAMES, type ScenarioName } from "../src/scenarios/stories.ts";
import { type Api, logTo, spawnService, startTestService, temporaryFolder } from "./support.ts";

/** The SHA-256 of each file with seed 1. It changes only when a scenario is changed. */
const DIGESTS: Readonly<Record<ScenarioName, string>> = {
  drain: "5bc3420c6157db6b6daa55be9d3c7e21ff6224cd3eff5efd9a0404b0ae0f9a33",
  mint: "9e8ca5dc7632aabae0fbeeaa50b3ad350a3a86c8a33a34ab145906a35be8177e",
  role: "9efea37546dd79cf6f1f38c47f4d5d079d689ea39a8de933edaee827f54bb029",
  "stale-price": "852dbb20663fc1caab7e811a64deaa2614fa99598df369152c2d8e024fd45cd4",
  burst: "0b6e53ed660881595392ef551420f6bcc4976d62ceda5130cabf5e6ce5a5f00d",
  silence: "c662f10eb06dc48e0872e325816e5b9e28bbdce6ec44934c439ae6d1ae942f3e",
};
type Asked = { request: ClientRequest; answer: IncomingMessage };

const MOST_WORK_MS = 50;
const MOST_MEMORY = 64 * 2 ** 20;
const STOPS_WITHIN_MS = 2_000;
const IDLE_MS = 300;

describe("files of scenarios", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  const send = (path: string, { base_url, api_key } = api.ready): ClientRequest => {
    const headers = { authorization: `Apikey ${api_key}` };
    return get(`${base_url}/local/scenarios/${path}`, { headers, agent: false });
  };
  const ask = async (path: string, ready = api.ready): Promise<Asked> => {
    const request = send(path, ready);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve).once("error", reject);
    });
    return { request, answer };
  };

  const areAsBefore = async (name: ScenarioName) => {
    const digest = createHash("sha256").update(await scenarioTextOf(name, 1));
    should(digest.digest("hex")).equal(DIGESTS[name], name);
  };
  it("are the same as in earlier versions, byte for byte", () => areAsBefore("role"));
  itWide("are the same as in earlier versions, each of them", async () => {
    const names = SCENARIO_NAMES.filter((name) => name !== "burst" || withVariants);
    for (const name of names) await areAsBefore(name);
  });

  it("are made only while the caller is there", async () => {
    const before = performance.eventLoopUtilization();
    // A caller that leaves gets no answer, which is an error of its own.
    const request = send("burst").on("error", () => {});
    await eventually("the service to work", () => performance.eventLoopUtilization(before).active > 100);
    request.destroy();
    await eventually("the service to be idle", isIdle, { withinMs: STOPS_WITHIN_MS });
  });

  itWide("are not made any more when the service stops", async () => {
    const lines: string[] = [];
    const { api, dispose } = await startTestService({ log: logTo((line) => lines.push(line)) });
    const before = performance.eventLoopUtilization();
    const requests = ["burst", "role"].map((path) => send(path, api.ready).on("error", () => {}));
    await eventually("the service to work", () => performance.eventLoopUtilization(before).active > 100);
    const begun = performance.now();
    await dispose();
    await eventually("the service to be idle", isIdle, { withinMs: STOPS_WITHIN_MS });
    should(performance.now() - begun).be.below(STOPS_WITHIN_MS + IDLE_MS);
    for (const request of requests) request.destroy();
    should(lines.filter((line) => /failed|Error/.test(line))).be.empty();
  });

  it("are made one at a time, in the order of asking; others leave the queue when their callers go", async () => {
    const queue = new FileQueue();
    const made: string[] = [];
    const gone = new Set<string>();
    const pieces = (name: string) =>
      queue.pieces(
        async function* (pause) {
          for (const part of [1, 2]) {
            await pause();
            made.push(`${name}${part}`);
            yield `${name}${part}`;
          }
        },
        { isGone: () => gone.has(name), drop: () => {} },
      );
    const [first, second, third] = [pieces("a"), pieces("b"), pieces("c")];
    await first.next();
    const waiting = [second.next(), third.next()] as const;
    gone.add("b");
    await first.next();
    should(made).eql(["a1", "a2"]);
    await first.next();
    await should(waiting[0]).be.rejectedWith({ status: 503 });
    should(await waiting[1]).eql({ done: false, value: "c1" });
    await third.return();
    should(made).eql(["a1", "a2", "c1"]);
  });

  it("do not wait for a caller that does not read", async () => {
    const queue = new FileQueue({ stalledMs: 20 });
    const dropped = Promise.withResolvers<void>();
    const endless = async function* () {
      for (;;) yield "piece";
    };
    const first = queue.pieces(endless, { isGone: () => false, drop: dropped.resolve });
    const second = queue.pieces(endless, { isGone: () => false, drop: () => {} });
    await first.next();
    const waiting = second.next();
    await dropped.promise;
    await first.return();
    should((await waiting).value).equal("piece");
    await second.return();
  });

  // It measures, so that other work makes it longer.
  inVariants(() =>
    it("are made in slices, one after the other", async () => {
      const work = longestWork();
      const asked = [1, 2, 3, 4].map((seed) => ask(`burst?seed=${seed}`));
      const first = await Promise.race(asked);
      should(first.answer.headers["content-type"]).equal("application/json; charset=utf-8");
      should(await lengthOf(first.answer)).be.above(12_000_000);
      // The others begin after it.
      const others = (await Promise.all(asked)).filter((one) => one !== first);
      for (const { request } of others) request.destroy();
      should(work.end()).be.below(MOST_WORK_MS);
    }),
  );

  inVariants(() =>
    it("need little memory, also when four are asked for", async function (this: Mocha.Context) {
      // Only Linux tells the most that a process had.
      if (process.platform !== "linux") this.skip();
      const folder = temporaryFolder();
      const { child, ready, exited } = await spawnService(folder.path);
      try {
        const memory = (name: string) => {
          const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
          return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
        };
        const rest = memory("VmRSS");
        const answers = [1, 2, 3, 4].map((seed) => ask(`burst?seed=${seed}`, ready));
        await Promise.all(answers.map(async (one) => lengthOf((await one).answer)));
        should(Math.max(memory("VmHWM"), memory("VmRSS")) - rest).be.below(MOST_MEMORY);
      } finally {
        child.kill("SIGTERM");
        await exited;
        folder.dispose();
      }
    }),
  );
});

async function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of answer) length += (chunk as Buffer).length;
  return length;
}

/** Whether this process, in which the service runs, has been idle most of the last moments. */
async function isIdle(): Promise<boolean> {
  const before = performance.eventLoopUtilization();
  await eventually("some time to pass", () => performance.eventLoopUtilization(before).idle > IDLE_MS / 3, {
    withinMs: IDLE_MS,
  }).catch(() => undefined);
  return performance.eventLoopUtilization(before).utilization < 0.5;
}

/** Counts the longest work without a turn for others, in milliseconds of processor time of this thread. */
function longestWork(): { end(): number } {
  let [longest, isRunning, before] = [0, true, process.threadCpuUsage()];
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (isRunning) setImmediate(look);
  };
  look();
  return {
    end() {
      isRunning = false;
      return longest;
    },
  };
}
