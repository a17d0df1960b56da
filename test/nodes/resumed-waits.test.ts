import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { functionNode, harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId, NodeRed } from "../support/node-red.ts";
import {
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
} from "../support/nodes.ts";
import { checkError, KEPT, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, queryNode, submitNode, walletNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { itWide } from "../support/wide.ts";
import { withoutEnd } from "../support/without-end.ts";

const TOO_MUCH = String(10n ** 30n);
const INTERRUPTED = "interrupted";

const DEPLOYS = ["full", "flows", "nodes"] as const;

/** A deploy while something waits loses neither its message nor its error. */
describe("a wait that a deploy interrupts", function () {
  this.timeout(120_000);

  let harness: OperationHarness;

  before(async () => {
    harness = await OperationHarness.start({});
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await harness?.close();
  });

  const good = { to: RECEIVER, payload: "1" };
  const isLook = ({ path }: Passing) => path.endsWith("/events/search");
  /** Hides how an operation ended. */
  const hold = () => {
    harness.proxy.harm = (passing) => (isLook(passing) ? { kind: "change", change: withoutEnd } : undefined);
  };
  const letGo = () => {
    harness.proxy.harm = () => undefined;
  };
  const flow = (more: Partial<FlowNode> = {}): Array<[FlowNode, number]> => [
    [submitNode(more), 2],
    [operationNode("wait"), 1],
  ];
  /** Sends a message, and is back when the node waits for its operation. */
  const wait = async (id: string, message: Message): Promise<string> => {
    hold();
    const probe = freshId();
    const looked = harness.proxy.next(1, isLook);
    await harness.nodeRed.press(`press-${id}`, { ...KEPT, ...message, probe });
    if (id === "submit") await harness.toldAt("submit:1", probe, "accepted");
    else await looked;
    return probe;
  };
  const outcome = async (probe: string, nodeRed = harness.nodeRed): Promise<Message> => {
    const { value } = await nodeRed.shows(
      ({ name, value }) => /^(error|\w+:0)$/.test(name) && (value as Message).probe === probe,
    );
    return value as Message;
  };
  const folderOf = (id: string) => join(harness.userDir.path, "crec-waits", id);
  const filesOf = (id: string): Promise<string[]> => readdir(folderOf(id)).catch(() => []);
  /** A message is shown a moment before its file is removed. */
  const untilNoFile = async (id: string) => {
    await eventually(
      "no file",
      () => filesOf(id),
      (names) => names.length === 0,
    );
  };
  const outputs = (probe: string) => harness.seenAt("submit:0", probe);

  for (const type of DEPLOYS) {
    const test = type === DEPLOYS[0] ? it : itWide;
    test(`by the deploy type ${type} is resumed, and its message leaves by the first output`, async () => {
      await harness.deploy(flow());
      const probe = await wait("submit", good);
      const [file = ""] = await filesOf("submit");
      should((await stat(join(folderOf("submit"), file))).mode & 0o777).equal(0o600);
      await harness.deploy(flow({ name: type }), [], type);
      should(harness.nodeRed.statuses("submit").map(({ code }) => code)).containEql(INTERRUPTED);
      letGo();
      const msg = await outcome(probe);
      should(msg.error).be.undefined();
      should(msg).match({ kept: "as it was", crec: { keep: "me", resumed: true, status: /^confirmed/ } });
      should(msg.crec?.verification).have.property("verified", true);
      should(harness.nodeRed.log).match(
        new RegExp(
          `This continues when the flows start again\\. Waiting for: ${msg.crec?.walletOperationId}`,
        ),
      );
      await harness.toldAt("submit:1", probe, "confirmed");
      await untilNoFile("submit");
      should(outputs(probe)).have.length(1);
    });
  }

  itWide(
    "that another process on the same folder has is resumed when that one ends, and not before",
    async () => {
      await harness.deploy(flow());
      hold();
      const other = await NodeRed.start(harness.userDir);
      const probe = freshId();
      try {
        await other.deploy(harnessFlow(harness.config(), flow({ name: "of the other" })));
        await other.press("press-submit", { ...KEPT, ...good, probe });
        await other.shows(
          ({ name, value }) => name === "submit:1" && (value as Message).crec?.status === "accepted",
        );
        const files = await filesOf("submit");
        should(files).have.length(1);
        await harness.deploy(flow({ name: "deployed again" }));
        // It looks for its own meanwhile, and has time to take what it should not.
        await harness.proxy.next(3, isLook);
        // It would carry the name of this process.
        should(await filesOf("submit")).deepEqual(files);
        should(outputs(probe)).be.empty();
      } finally {
        await other.kill();
      }
      letGo();
      should((await outcome(probe)).crec).have.property("resumed", true);
      await untilNoFile("submit");
      should(outputs(probe)).have.length(1);
    },
  );

  itWide("for an operation that fails meanwhile sends the reason to catch", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", { to: RECEIVER, payload: TOO_MUCH });
    await harness.deploy(flow());
    letGo();
    const caught = await outcome(probe);
    checkError(caught, "submit", "OPERATION_FAILED", "InsufficientBalance: balance ");
    should(caught.crec).have.property("resumed", true);
    await harness.nodeRed.status("submit", /InsufficientBalance: balance/);
    // The failure has no proof, so the node looks on, until it is deleted.
    should(await filesOf("submit")).have.length(1);
    await harness.deploy([]);
    await untilNoFile("submit");
  });

  itWide("of the node operation is resumed", async () => {
    // Nothing else is to look for events.
    await harness.deploy(flow({ follow: false }));
    const { crec = {} } = await harness.ask("submit", good);
    const probe = await wait("wait", { crec: { keep: "me", ...crec } });
    await harness.deploy(flow());
    letGo();
    const msg = await outcome(probe);
    should(msg.crec).match({ operationId: crec.operationId, resumed: true, status: /^confirmed/ });
    should(msg.crec?.verification).have.property("verified", true);
    await untilNoFile("wait");
  });

  itWide("of a query is resumed by its id", async () => {
    const isQuery = ({ path }: Passing) => path.includes("/queries/");
    const running = (body: string) => body.replaceAll('"completed"', '"processing"');
    const nodes: Array<[FlowNode, number]> = [[queryNode(), 2]];
    await harness.deploy(nodes);
    harness.proxy.harm = (passing) =>
      isQuery(passing) || isLook(passing) ? { kind: "change", change: running } : undefined;
    const probe = freshId();
    await harness.nodeRed.press("press-query", { ...KEPT, payload: harness.wallet, probe });
    const { value } = await harness.nodeRed.showing("query:1", (shown) => (shown as Message).probe === probe);
    await harness.deploy(nodes);
    letGo();
    const msg = await outcome(probe);
    const { queryId } = (value as Message).crec ?? {};
    should(msg.crec).match({ queryId, resumed: true, status: "completed", verification: { verified: true } });
    should(msg.payload).match(/^\d+$/);
    await untilNoFile("query");
  });

  itWide("for a wallet is resumed by its id", async () => {
    const nodes: Array<[FlowNode, number]> = [[manageNode("wallets.create-or-find", { wallet: "new" }), 1]];
    const wallet = walletNode(harness.service.ready, { id: "new", wallet: `wallet ${freshId()}` });
    const isWallet = ({ path }: Passing) => path.includes("/wallets/");
    const deploying = (body: string) => body.replaceAll('"deployed"', '"deploying"');
    await harness.deploy(nodes, [wallet]);
    harness.proxy.harm = (passing) => (isWallet(passing) ? { kind: "change", change: deploying } : undefined);
    const looked = harness.proxy.next(2, isWallet);
    const probe = freshId();
    await harness.nodeRed.press("press-manage", { ...KEPT, probe });
    await looked;
    await harness.deploy(nodes, [wallet]);
    letGo();
    const msg = await outcome(probe);
    should(msg.crec).match({ resumed: true, status: "deployed", found: false, keep: "me" });
    await untilNoFile("manage");
  });

  itWide("is joined by the message when that arrives again: one message leaves", async () => {
    await harness.deploy(flow());
    const operationKey = `order ${freshId()}`;
    const first = await wait("submit", { ...good, crec: { keep: "me", operationKey } });
    await harness.deploy(flow());
    const second = await wait("submit", { ...good, crec: { keep: "me", operationKey } });
    letGo();
    const msg = await outcome(second);
    should(msg.crec).match({ operationKey, found: true, status: /^confirmed/ });
    should(msg.crec).not.have.property("resumed");
    // The later statuses of the message have arrived by now, and so would those of the other one.
    await harness.toldAt("submit:1", second, "confirmed");
    should(outputs(first)).be.empty();
    await untilNoFile("submit");
  });

  itWide("is joined by an event that is sent again, and the event is done with its wait", async () => {
    const key = `msg.crec.operationKey = msg.crec.eventId; msg.to = "${RECEIVER}"; msg.payload = "1";`;
    const nodes: Array<[FlowNode, number]> = [
      [createWatcherNode({ id: "create", contract: "watched" }), 2],
      [
        eventsInNode({
          ...{ id: "events", consumer: "joins", verify: false, commit: "on-complete" },
          ...{ types: ["watcher.status"], wires: [["prepare"], [], []] },
        }),
        3,
      ],
      [
        functionNode("prepare", `if (msg.payload.status !== "active") return null; ${key} return msg;`, [
          "submit",
        ]),
        1,
      ],
      ...flow(),
    ];
    const watched = [contractNode(harness.service.ready, { id: "watched" })];
    const isFirst = ({ crec }: Message) => crec?.status === "accepted" && !crec.redelivered && !crec.resumed;
    const isAgain = ({ crec }: Message) => crec?.status === "accepted" && crec.redelivered === true;
    await harness.deploy(nodes, watched);
    hold();
    await harness.ask("create", {});
    const { value: first } = await harness.nodeRed.showing("submit:1", (one) => {
      const msg = one as Message;
      return isFirst(msg) && msg.crec?.type === "watcher.status";
    });
    const { operationKey, operationId } = (first as Message).crec ?? {};
    await harness.deploy(nodes, watched);
    await harness.nodeRed.showing("submit:1", (one) => {
      const msg = one as Message;
      return isAgain(msg) && msg.crec?.operationKey === operationKey;
    });
    const isDone = async () => {
      const panel = await harness.nodeRed.fetch("crec/events-in/events");
      return ((await panel.json()) as { inFlight?: number }).inFlight === 0;
    };
    should(await isDone()).be.false();
    letGo();
    const ofKey = ({ crec }: Message) => crec?.operationKey === operationKey;
    const { value } = await harness.nodeRed.showing("submit:0", (one) => ofKey(one as Message));
    should((value as Message).crec).match({ operationId, found: true, redelivered: true });
    should((value as Message).crec).not.have.property("resumed");
    await harness.nodeRed.status("events", "connected");
    should(await isDone()).be.true();
    should(harness.nodeRed.shown("submit:0").filter((shown) => ofKey(shown.value as Message))).have.length(1);
  });

  itWide("while it sends the operation is reported after the deploy", async () => {
    const isSubmit = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
    await harness.deploy(flow());
    harness.proxy.harm = (passing) => (isSubmit(passing) ? { kind: "stall" } : undefined);
    const submitted = harness.proxy.next(1, isSubmit);
    const probe = freshId();
    await harness.nodeRed.press("press-submit", { ...KEPT, ...good, probe });
    await submitted;
    await harness.deploy(flow());
    const caught = await outcome(probe);
    checkError(caught, "submit", "WAIT_INTERRUPTED");
    should(caught.crec?.walletOperationId).match(/^\d+$/);
    await untilNoFile("submit");
  });

  itWide("is not resumed where the form says so: the log names the operation", async () => {
    await harness.deploy(flow({ resume: false }));
    const probe = await wait("submit", good);
    should(await filesOf("submit")).be.empty();
    await harness.deploy(flow({ resume: false }));
    await harness.nodeRed.status("submit", INTERRUPTED);
    should(harness.nodeRed.log).match(/The wait is not resumed\. Waiting for: \d+/);
    letGo();
    await harness.ask("submit", good);
    should(outputs(probe)).be.empty();
  });

  itWide("is dropped with its node, but not with a node that is disabled", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", good);
    await harness.deploy(flow({ d: true }));
    should(await filesOf("submit")).have.length(1);
    await harness.deploy(flow());
    letGo();
    should(await outcome(probe))
      .have.propertyByPath("crec", "resumed")
      .equal(true);
    const dropped = await wait("submit", good);
    await harness.deploy(flow().slice(1));
    should(await filesOf("submit")).be.empty();
    await harness.deploy(flow());
    letGo();
    await harness.ask("submit", good);
    should(outputs(dropped)).be.empty();
  });

  itWide("is dropped with an error where the connection is to another service now", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", good);
    const { ready } = harness.service;
    const elsewhere = connectionNode(ready, { baseUrl: "https://elsewhere.example/v1" });
    const changed = harness.config().map((node) => (node.id === "connection" ? elsewhere : node));
    await harness.nodeRed.deploy(harnessFlow(changed, flow()));
    const caught = await outcome(probe);
    checkError(caught, "submit", "WAIT_DROPPED", "another service");
    await untilNoFile("submit");
  });

  itWide("is resumed beside a file that cannot be read, which the log names", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", good);
    const path = join(folderOf("submit"), "broken.json");
    await writeFile(path, '{"version":1');
    await harness.deploy(flow());
    letGo();
    should((await outcome(probe)).crec).have.property("resumed", true);
    // The log of another process comes a moment later.
    await eventually(
      `${path} in the log`,
      () => harness.nodeRed.log,
      (log) => log.includes(path),
    );
    should(await readFile(path, "utf8")).equal('{"version":1');
    await rm(path);
    await harness.deploy(flow().slice(1));
  });

  itWide("says what of the message was too large", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", { ...good, picture: "x".repeat(100_000) });
    await harness.deploy(flow());
    letGo();
    const msg = await outcome(probe);
    should(msg).have.property("kept", "as it was");
    should(msg).not.have.property("picture");
    should(msg.crec).have.property("cut", ["picture"]);
    should(harness.nodeRed.log).containEql("msg.picture");
  });

  it("is resumed after Node-RED was killed, too", async () => {
    await harness.deploy(flow());
    const probe = await wait("submit", good);
    await harness.restart();
    letGo();
    const msg = await outcome(probe);
    should(msg).match({ kept: "as it was", crec: { keep: "me", resumed: true, status: /^confirmed/ } });
  });
});
