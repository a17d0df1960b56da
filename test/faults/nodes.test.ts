import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { type Certificate, selfSigned } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "../support/node-red.ts";
import { signerNode } from "../support/operation-nodes.ts";
import { atOnce } from "./at-once.ts";
import { CANARIES, hitsIn, inDisguise } from "./canaries.ts";
import { checkRepetitions, checkWords } from "./cell.ts";
import { type Custody, custodyOf } from "./custody.ts";
import { CLOCK_FAULTS, FAULTS, type Fault } from "./faults/index.ts";
import { FaultyServer } from "./faulty-server.ts";
import { ALL_NAMES, childEnvironment } from "./names.ts";
import { counterNode, flowOf, NODE_USES, type NodeUse, SILENT_NODES, typesOfPackage } from "./nodes.ts";
import { Collected, isWhole, SAMPLE_NUMBER, settle } from "./table.ts";
import { makeWorld, type World } from "./world.ts";
import { writtenBy } from "./written.ts";

const AT_ONCE = 24;
const WAIT_MS = 180_000;
/** Faults that need the names and certificates of a Node-RED of its own. */
const OF_ADDRESS = ["DNS failure", "certificate error"];

/** What the panel of events in shows of an error. */
type Told = { lastError?: { code: string; message: string } };
type Place = { id: string; name: string; use: NodeUse; fault: Fault; server: FaultyServer };

describe("every node that calls the service, with every fault of its world", function () {
  this.timeout(1_200_000);

  let world: World;
  let borrowed: Borrowed;
  let nodeRed: NodeRed;
  let custody: Custody;
  const places: Place[] = [];
  const certificate = selfSigned({ host: ALL_NAMES });

  before(async () => {
    world = await makeWorld(CANARIES.apiKey, CANARIES.signerKey);
    borrowed = isWhole ? await ownNodeRed(certificate) : await borrowNodeRed();
    nodeRed = borrowed.nodeRed;
    custody = await custodyOf(world);
    for (const [name, fault] of pairs()) {
      const use = NODE_USES[name] as NodeUse;
      const server = await FaultyServer.before(
        world.ready.base_url,
        isWhole ? { trusted: certificate } : { byAddress: true },
      );
      places.push({ id: freshId(), name, use, fault, server });
    }
    await Promise.all(places.map(({ server, fault }) => server.strike(fault)));
  });
  after(async () => {
    await borrowed?.giveBack();
    await Promise.all(places.map(({ server }) => server.close()));
    await custody?.close();
    await world?.close();
  });

  it("is in the matrix", () => {
    const used = Object.values(NODE_USES).map(({ type }) => type);
    should([...new Set([...used, ...SILENT_NODES])].sort()).deepEqual(typesOfPackage().sort());
  });

  it("tells Catch, repeats only what is safe, and recovers with its status", async () => {
    const cells = new Collected();
    const batches = isWhole ? Object.values(Object.groupBy(places, ({ name }) => name)) : [places];
    const works = (batch: readonly Place[]) =>
      batch.map((place) => async () => {
        const { name, fault } = place;
        const cell = await meet(place).catch((error) => {
          throw new Error(`${name}, ${fault.name}: ${error.message.slice(0, 600)}`, { cause: error });
        });
        cells.add(fault.name, name, cell);
      });
    const failures: unknown[] = [];
    for (const batch of batches as Place[][]) {
      await deploy(batch);
      await atOnce(AT_ONCE, works(batch)).catch((error) => failures.push(error));
    }
    const rank = (wanted: string) => FAULTS.findIndex(({ name }) => name === wanted);
    const rows = new Map([...cells.rows].sort(([one], [other]) => rank(one) - rank(other)));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("\n"));
    await settle("nodes", rows, Object.keys(NODE_USES));
  });

  const inWhole = isWhole ? it : (_title: string, _test: () => Promise<void>) => undefined;
  inWhole("works in a Node-RED whose clock is an hour off, or says so", async () => {
    const clocks = new Collected();
    for (const { name: fault, offMs } of CLOCK_FAULTS) {
      const late = await ownNodeRed(certificate, offMs);
      try {
        const uses = Object.entries(NODE_USES).map(([name, use]) => ({ id: freshId(), name, use }));
        const { base_url: baseUrl, graphql_url: graphqlUrl } = world.ready;
        const flows = uses.map(({ id, use }) =>
          flowOf(id, use, { world, baseUrl, graphqlUrl, timeout: "20" }),
        );
        const nodes = flows.map(({ node }, index): [FlowNode, number] => [
          node,
          uses[index]?.use.outputs ?? 1,
        ]);
        const shared = [counterNode(world), signerNode(CANARIES.signerKey)];
        await late.nodeRed.deploy(harnessFlow([...shared, ...flows.flatMap(({ config }) => config)], nodes));
        for (const { id, name, use } of uses) {
          const code = use.message ? await codeOf(id, use, late.nodeRed) : undefined;
          if (!use.message) await readerReads(id, late.nodeRed);
          clocks.add(fault, name, { code, requests: Number.NaN, retried: false });
        }
      } finally {
        await late.giveBack();
      }
    }
    await settle("clock of nodes", clocks.rows, Object.keys(NODE_USES));
  });

  it("writes no key, password or token anywhere", async () => {
    for (const [node] of custody.nodes) {
      const probe = freshId();
      await nodeRed.press(`press-${node.id}`, { probe });
      await shown(node.id, probe, 0);
    }
    const written = await writtenBy(borrowed, CANARIES.monitoringToken);
    for (const [place, text] of Object.entries(written)) {
      should(hitsIn(text)).deepEqual([], `In ${place} is a secret.`);
    }
    // The search finds what is there.
    should(hitsIn(`x${inDisguise(CANARIES.apiKey)[1]}x`)).not.be.empty();
    should(nodeRed.running).be.true();
    should(nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners/i);
  });

  /** With the nodes whose secrets are elsewhere, too. */
  async function deploy(batch: readonly Place[]): Promise<void> {
    const flows = batch.map(({ id, use, fault, server: { baseUrl, graphqlUrl } }) =>
      flowOf(id, use, { world, baseUrl, graphqlUrl, timeout: fault.isSlow ? "3" : "20" }),
    );
    const config = flows.flatMap((flow) => flow.config);
    const nodes = flows.map(({ node }, index): [FlowNode, number] => [node, batch[index]?.use.outputs ?? 1]);
    const shared = [counterNode(world), signerNode(CANARIES.signerKey), ...custody.config];
    await nodeRed.deploy(harnessFlow([...shared, ...config], [...nodes, ...custody.nodes]));
  }

  async function meet({ id, use, fault, server }: Place) {
    const cell = use.message ? await refused(id, use) : await readerTells(id);
    const arrivals = [...server.arrivals];
    checkRepetitions(arrivals);
    const retried = arrivals.some(({ method, path, body }, index) =>
      arrivals
        .slice(0, index)
        .some((other) => other.method === method && other.path === path && other.body === body),
    );
    await server.heal();
    if (use.message) await answers(id, use);
    else await readerReads(id);
    should(server.redirected).equal(0, "A redirect was followed.");
    // How often a reader or a wait has looked depends on the time; no request arrives where nobody listens.
    const isCounted = use.message && fault.answer && !fault.isSlow && cell !== undefined;
    return { code: cell, requests: isCounted ? arrivals.length : Number.NaN, retried };
  }

  async function refused(id: string, use: NodeUse): Promise<string | undefined> {
    const { name, msg } = await sent(id, use);
    if (name !== "error") return undefined;
    const { code = "", message } = msg.error ?? { message: "" };
    checkWords(code, message);
    should(hitsIn(JSON.stringify(msg))).deepEqual([]);
    const { fill } = await nodeRed.status(id, (status) => status.fill === "red", WAIT_MS);
    should(fill).equal("red");
    return code;
  }

  async function answers(id: string, use: NodeUse): Promise<void> {
    // A slow machine can be slower than the short time-out of slow faults.
    for (let left = 5; ; left -= 1) {
      const { name, msg } = await sent(id, use);
      if (name !== "error") break;
      if (left === 0 || msg.error?.code !== "TIMEOUT")
        throw new Error(`It did not recover: ${msg.error?.message}`);
    }
    await nodeRed.status(id, (status) => status.fill !== "red", WAIT_MS);
  }

  async function sent(id: string, use: NodeUse, other = nodeRed): Promise<{ name: string; msg: Message }> {
    const probe = freshId();
    await other.press(`press-${id}`, { ...(await use.message?.(world)), probe });
    return shown(id, probe, use.outputs, other);
  }

  async function shown(
    id: string,
    probe: string,
    outputs: number,
    other = nodeRed,
  ): Promise<{ name: string; msg: Message }> {
    const names = ["error", ...Array.from({ length: Math.max(1, outputs) }, (_, port) => `${id}:${port}`)];
    const { name, value } = await other.shows(
      (one) => names.includes(one.name) && (one.value as Message).probe === probe,
      WAIT_MS,
    );
    return { name, msg: value as Message };
  }

  /** events in tells its panel why it does not read; Catch, where it has not found its channel yet. */
  async function readerTells(id: string): Promise<string> {
    const { code = "", message = "" } = await eventually(
      `the error of ${id}`,
      async (): Promise<{ code?: string; message?: string; report: Told }> => {
        const report = (await (await nodeRed.fetch(`crec/events-in/${id}`)).json()) as Told;
        const caught = nodeRed.shown("error").find(({ value }) => (value as Message).error?.source.id === id);
        return { ...((caught?.value as Message)?.error ?? report.lastError), report };
      },
      ({ code, message }) => code !== undefined && message !== undefined,
      { withinMs: WAIT_MS, pauseMs: 100 },
    );
    checkWords(code, message);
    await nodeRed.status(id, ({ fill }) => fill === "red" || fill === "yellow", WAIT_MS);
    return code;
  }

  /** The code of the error that a message leads to, if it leads to one. */
  async function codeOf(id: string, use: NodeUse, other: NodeRed): Promise<string | undefined> {
    const { name, msg } = await sent(id, use, other);
    if (name !== "error") return undefined;
    const { code = "", message } = msg.error ?? { message: "" };
    checkWords(code, message);
    return code;
  }

  async function readerReads(id: string, other = nodeRed): Promise<void> {
    await other.status(id, ({ fill }) => fill === "green" || fill === "blue", WAIT_MS);
  }
});

/** All of them, or a sample in which each node meets a fault. */
function pairs(): Array<[string, Fault]> {
  const names = Object.keys(NODE_USES);
  if (isWhole) return names.flatMap((name) => FAULTS.map((fault): [string, Fault] => [name, fault]));
  const faults = FAULTS.filter(({ name }) => !OF_ADDRESS.includes(name));
  const shift = SAMPLE_NUMBER % faults.length;
  return names.map((name, index) => [name, faults[(index + shift) % faults.length] as Fault]);
}

/** Trusts the certificate, and resolves names that can be forgotten. */
async function ownNodeRed(certificate: Certificate, offMs = 0): Promise<Borrowed> {
  const userDir = await UserDir.make();
  const file = join(userDir.path, "certificate.pem");
  await writeFile(file, certificate.cert);
  const env = {
    ...{ ...childEnvironment(offMs), NODE_EXTRA_CA_CERTS: file },
    CREC_MONITORING_TOKEN: CANARIES.monitoringToken,
  };
  const nodeRed = await NodeRed.start(userDir, env, { define: ["logging.console.level=trace"] });
  const giveBack = async () => {
    await nodeRed.kill();
    await userDir.remove();
  };
  return { nodeRed, userDir, giveBack };
}
