import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { NODE } from "../../nodes/verify-event/fields.ts";
import { DedupeFile } from "../../src/storage/dedupe/file-dedupe-store.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import { eventually } from "../support/eventually.ts";
import { readerOf } from "../support/field-reader.ts";
import { ask, harnessFlow, refuse } from "../support/flow-harness.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "../support/node-red.ts";
import { verifyEventNode } from "../support/nodes.ts";

describe("how many keys verify event remembers", () => {
  const rememberOf = (remember: string | undefined) =>
    readerOf(NODE, { firstTimeOnly: true, ...(remember === undefined ? {} : { remember }) }).number(
      "remember",
    );

  it("is 10,000 unless the form says otherwise, and from 1 to 100,000", () => {
    should(["", undefined, "1", "100000"].map((remember) => rememberOf(remember))).deepEqual([
      10_000, 10_000, 1, 100_000,
    ]);
    for (const remember of ["0", "100001", "many"]) {
      should(() => rememberOf(remember)).throw({ code: "INVALID_FIELD" });
    }
  });
});

/** Each event once, over deploys, restarts and kills of Node-RED. */
describe("verify event with each event once", function () {
  this.timeout(120_000);

  const VERIFIED = 0;
  const REJECTED = 1;
  const events = proofCases
    .filter(
      ({ expect, config, event }) =>
        expect === "verified" && !config && event.headers.type === "watcher.event",
    )
    .map(({ event }) => event);
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir);
  });
  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
  });

  const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
  const connection: FlowNode = {
    id: "connection",
    type: "crec-connection",
    baseUrl: "http://127.0.0.1/v1",
    orgId: orgId ?? "",
    workflowOwner: workflowOwner ?? "",
    creTenantId,
    validSigners: validSigners.join("\n"),
    minRequiredSignatures: String(minRequiredSignatures),
    credentials: { apiKey: "any" },
  };
  const deploy = (...nodes: FlowNode[]) =>
    nodeRed.deploy(
      harnessFlow(
        [connection],
        nodes.map((node) => [node, 3]),
      ),
    );
  const once = (id: string, properties: Partial<FlowNode> = {}) =>
    verifyEventNode({ id, name: freshId(), firstTimeOnly: true, remember: "100", ...properties });
  const [event] = events;
  const sends = (id: string, port: number, crec: Record<string, unknown> = {}) =>
    ask(nodeRed, id, { crec: { event, ...crec } }, port);
  const repeats = async (id: string, crec: Record<string, unknown> = {}) =>
    should((await sends(id, REJECTED, crec)).crec?.verification).have.properties({
      verified: false,
      reason: "seen_before",
    });
  const file = (id: string) => join(userDir.path, "crec-seen", `${id}.log`);
  const written = async (id: string) => {
    await eventually(
      `an entry in ${file(id)}`,
      () => new DedupeFile(file(id)).read(),
      ({ entries }) => entries.length > 0,
    );
  };

  it("rejects a repeated event, under another event id too; another node accepts it", async () => {
    await deploy(once("one"), once("two"));
    await sends("one", VERIFIED);
    await repeats("one");
    await repeats("one", { event: { ...event, event_id: "00000000-0000-4000-8000-000000000000" } });
    await sends("two", VERIFIED);
    await repeats("two");
    await nodeRed.status("two", "rejected: seen before");
  });

  it("sends one of two that come at the same time", async () => {
    await deploy(once("rush"));
    await Promise.all([
      nodeRed.press("press-rush", { crec: { event } }),
      nodeRed.press("press-rush", { crec: { event } }),
    ]);
    await nodeRed.showing("rush:1");
    should(nodeRed.shown("rush:0")).have.length(1);
  });

  it("remembers over a deploy, a stop and a kill", async () => {
    await deploy(once("lasts"));
    await sends("lasts", VERIFIED);
    await deploy(once("lasts"));
    await repeats("lasts");
    await nodeRed.stop();
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("lasts"), once("killed"));
    await repeats("lasts");
    await sends("killed", VERIFIED);
    await written("killed");
    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("lasts"), once("killed"));
    await repeats("lasts");
    await repeats("killed");
  });

  it("knows what another process on the same folder has accepted when it takes over", async () => {
    const other = await NodeRed.start(userDir);
    try {
      await deploy(once("shared"));
      // The other one has the keys of before in memory, if it has read them at all.
      await other.deploy((await (await nodeRed.fetch("flows")).json()) as FlowNode[]);
      await other.status("shared", "standby");
      await sends("shared", VERIFIED);
      await written("shared");
      should((await refuse(other, "shared", { crec: { event } })).error).have.property(
        "code",
        "FOLDER_IN_USE",
      );
      await nodeRed.kill();
      nodeRed = other;
      // It takes over within some seconds.
      await eventually("the other one to take over", async () => {
        await other.press("press-shared", { crec: { event } });
        return Promise.race([other.showing("shared:1").then(() => true), sleep(1_000).then(() => false)]);
      });
      should(other.shown("shared:0")).be.empty();
      should(other.shown("shared:1")[0]?.value).match({ crec: { verification: { reason: "seen_before" } } });
    } finally {
      if (nodeRed !== other) await other.kill();
    }
  });

  it("accepts an event that it rejected before for another reason", async () => {
    await deploy(once("strict", { maxAge: "1" }));
    should((await sends("strict", REJECTED)).crec?.verification).have.property("reason", "too_old");
    await deploy(once("strict"));
    await sends("strict", VERIFIED);
    await repeats("strict");
  });

  it("accepts a redelivery of an event that was not acknowledged", async () => {
    await deploy(once("acks"));
    const delivery = { consumer: "reader", eventId: event?.event_id };
    await sends("acks", VERIFIED, delivery);
    // Sought again, or replayed.
    for (const not of [{}, { attempt: 1 }, { redelivered: false }, { attempt: "2", redelivered: "yes" }]) {
      await repeats("acks", { ...delivery, ...not });
    }
    const repeated = { ...delivery, attempt: 2, redelivered: true };
    await sends("acks", VERIFIED, repeated);
    await sends("acks", VERIFIED, { ...delivery, attempt: 2 });
    await sends("acks", VERIFIED, { ...delivery, redelivered: true });
    await repeats("acks", { ...repeated, consumer: "another" });
    await repeats("acks", { ...repeated, consumer: undefined });
    await repeats("acks", { ...repeated, eventId: "00000000-0000-4000-8000-000000000000" });
    await repeats("acks");
    await repeats("acks", {
      ...repeated,
      event: { ...event, event_id: "00000000-0000-4000-8000-000000000000" },
    });
  });

  it("warns when its file is damaged, keeps a copy, and continues", async () => {
    await deploy(once("spoiled"));
    await sends("spoiled", VERIFIED);
    await nodeRed.stop();
    await writeFile(file("spoiled"), "spoiled");
    nodeRed = await NodeRed.start(userDir);
    await deploy(once("spoiled"));
    await nodeRed.status("spoiled", ({ fill, code }) => fill === "red" && code === "memory");
    should(nodeRed.log).match(/spoiled\.log.*is torn or was changed/);
    should(
      (await readdir(join(userDir.path, "crec-seen"))).filter((name) =>
        name.startsWith("spoiled.log.damaged"),
      ),
    ).have.length(1);
    await sends("spoiled", VERIFIED);
    await nodeRed.status("spoiled", "verified");
    await repeats("spoiled");
  });

  it("forgets the keys of a removed node, and of no other", async () => {
    const remembers = ["removed", "disabled", "unticked", "left"];
    await deploy(...remembers.map((id) => once(id)));
    for (const id of remembers) {
      await sends(id, VERIFIED);
      await written(id);
    }
    // As a person would: each change is a deploy, of everything and of what was changed.
    await deploy(
      ...[once("disabled", { d: true }), once("unticked", { firstTimeOnly: false }), once("left")],
    );
    const files = async () =>
      (await readdir(join(userDir.path, "crec-seen"))).filter((name) =>
        remembers.includes(name.replace(".log", "")),
      );
    should(await files()).deepEqual(["disabled.log", "left.log", "unticked.log"]);
    const flow = harnessFlow(
      [connection],
      [
        [once("disabled"), 3],
        [once("left"), 3],
      ],
    );
    await nodeRed.deploy(flow.map((node) => (node.type === "tab" ? { ...node, disabled: true } : node)));
    should(await files()).deepEqual(["disabled.log", "left.log"]);
    await deploy(once("disabled"), once("left"), once("removed"));
    await repeats("disabled");
    await repeats("left");
    await sends("removed", VERIFIED);
  });

  it("fails where the message does not say which events to expect", async () => {
    await deploy(once("asks", { expectEvents: "wanted", expectEventsType: "msg" }));
    const { error } = await refuse(nodeRed, "asks", { crec: { event } });
    should(error).have.properties({ code: "MISSING_VALUE" });
  });

  it("rejects a number of keys out of range", async () => {
    await deploy(once("vain", { remember: "0" }));
    const { error } = await refuse(nodeRed, "vain", { crec: { event } });
    should(error).have.properties({ code: "INVALID_FIELD" });
    should(error?.message).match(/"Remember" cannot be "0". Enter a whole number from 1 to 100000/);
  });
});
