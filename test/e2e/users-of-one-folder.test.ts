import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { type Arrival, EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { eventsInNode, verifyEventNode } from "../support/nodes.ts";
import { letOthersEnter } from "../support/postgres.ts";

const EVENTS = 4;
const CONNECTED = "connected";
const TOKEN = "a-token-that-is-long-enough";
const GROUP = 54_103;
const [ANNA, BERT] = [
  { uid: 54_101, gid: GROUP },
  { uid: 54_102, gid: GROUP },
];

/** Pods that get a user id of their own, and mount one volume. */
describe("Node-REDs of two users with one state folder", function () {
  this.timeout(180_000);

  let harness: EventHarness;
  let stateDir: string;
  const running: Array<{ nodeRed: NodeRed; userDir: UserDir }> = [];

  before(async function () {
    // Only root can start processes of other users.
    if (process.getuid?.() !== 0) return this.skip();
    await letOthersEnter(tmpdir());
    harness = await EventHarness.start(EVENTS);
  });
  after(() => harness?.close());
  afterEach(async () => {
    for (const { nodeRed, userDir } of running.splice(0)) {
      await nodeRed.kill();
      await userDir.remove();
    }
    rmSync(stateDir, { recursive: true, force: true });
  });

  const folder = (uid: number, mode: number) => {
    stateDir = mkdtempSync(join(tmpdir(), "crec-of-two-"));
    chownSync(stateDir, uid, GROUP);
    chmodSync(stateDir, mode);
  };
  const reader = eventsInNode({ id: "reader", consumer: "reader", verify: false });
  const start = async (user: typeof ANNA, node: FlowNode = reader) => {
    const userDir = await UserDir.make();
    execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, userDir.path]);
    const env = { CREC_STATE_DIR: stateDir, CREC_MONITORING_TOKEN: TOKEN };
    const nodeRed = await NodeRed.start(userDir, env, { user });
    running.push({ nodeRed, userDir });
    await nodeRed.deploy(harnessFlow(harness.config(), [[node, 2]]));
    return nodeRed;
  };
  const offsets = (nodeRed: NodeRed) =>
    nodeRed.shown("reader:0").map(({ value }) => Number((value as Arrival).crec.offset));
  const last = (nodeRed: NodeRed) => offsets(nodeRed).at(-1) ?? 0;

  const health = async (nodeRed: NodeRed) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await nodeRed.fetch("crec/health", { headers });
    const { reasons } = (await answer.json()) as { reasons: Array<{ code: string; message: string }> };
    return { http: answer.status, reasons };
  };
  /** The command of the reason with this code. */
  const commandOf = async (nodeRed: NodeRed, code: string) => {
    const found = await eventually(
      code,
      () => health(nodeRed),
      ({ reasons }) => reasons.some((reason) => reason.code === code),
    );
    should(found.http).equal(503);
    should((await nodeRed.fetch("crec/health/live")).status).equal(200);
    const message = found.reasons.find((reason) => reason.code === code)?.message ?? "";
    return /Correct it with: sudo (.*)$/.exec(message)?.[1] ?? "";
  };
  const isReady = (nodeRed: NodeRed) =>
    eventually(
      "a copy that is ready",
      () => health(nodeRed),
      ({ http }) => http === 200,
    );

  it("go on where the other ended, and send nothing twice", async () => {
    folder(0, 0o2770);
    const anna = await start(ANNA);
    await anna.showing("reader:0", (value) => (value as Arrival).crec.offset === EVENTS);
    const bert = await start(BERT);
    await bert.status("reader", /^standby/);
    await harness.addEvents("for-the-first");
    await eventually(
      "two more events",
      () => last(anna),
      (offset) => offset === EVENTS + 2,
    );
    await anna.stop();
    await bert.status("reader", CONNECTED);
    await harness.addEvents("for-the-second");
    await eventually(
      "the next events",
      () => last(bert),
      (offset) => offset === EVENTS + 4,
    );
    should(offsets(bert)).deepEqual([EVENTS + 3, EVENTS + 4]);
  });

  it("say at once whose files these are where no group shares them, and go on when that is corrected", async () => {
    folder(ANNA.uid, 0o755);
    const anna = await start(ANNA);
    await eventually(
      "all events",
      () => last(anna),
      (offset) => offset >= EVENTS,
    );
    await anna.stop();
    const bert = await start(BERT);
    await bert.status("reader", "This process may not use the state folder");
    const command = await commandOf(bert, "reader_blocked");
    should(command).equal(`chown -R ${BERT.uid}:${GROUP} '${stateDir}'`);
    execFileSync("sh", ["-c", command]);
    await bert.status("reader", CONNECTED);
    await isReady(bert);
    should(offsets(bert)).be.empty();
  });

  it("fail where no node reads events, too", async () => {
    folder(ANNA.uid, 0o755);
    const bert = await start(BERT, verifyEventNode({ id: "once", firstTimeOnly: true }));
    execFileSync("sh", ["-c", await commandOf(bert, "state_folder_refused")]);
    await isReady(bert);
  });
});
