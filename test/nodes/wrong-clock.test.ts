import should from "should";
import { CrecClient } from "../../src/index.ts";
import { childEnvironment } from "../faults/names.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, submitNode, value } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";

const MESSAGES = 5;

/** The clock of the computer of Node-RED is wrong; service and chain have the right time. */
for (const minutes of [-10, -180, 180]) {
  const off = Math.abs(minutes);
  const way = minutes < 0 ? "behind" : "ahead of";
  describe(`submit operation on a clock ${off} minutes ${way} that of the service`, function () {
    this.timeout(120_000);

    let harness: OperationHarness;
    before(async () => {
      harness = await OperationHarness.start(childEnvironment(minutes * 60_000));
      await harness.deploy([
        [submitNode({ id: "soon", deadline: "5" }), 2],
        [submitNode({ id: "edge", deadline: String(off + 0.05) }), 2],
        [
          submitNode({
            id: "coins",
            keepOrder: true,
            version: 2,
            calls: [coins],
            deadline: String(off + 15),
          }),
          2,
        ],
        [submitNode({ id: "draft", mode: "draft", deadline: String(off + 0.5) }), 2],
        [operationNode("finalize", { waitFor: "confirmed_latest" }), 1],
        [functionNode("burst", burst, ["coins"]), 0],
      ]);
    });
    after(() => harness?.close());

    const coins = { kind: "raw", to: value(RECEIVER), amount: value("payload", "msg") };
    const burst = `for (let payload = 1; payload <= ${MESSAGES}; payload += 1) node.send({ ...msg, payload }); return null;`;
    const isPost = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
    const isSearch = ({ path }: Passing) => path.endsWith("/events/search");
    const seconds = [-1, 0, 1].map((more) => off * 60 + more).join("|");
    const good = { to: RECEIVER, payload: "1" };

    it("sends each message once, in order, and proves it", async () => {
      const before = await harness.executions();
      const from = harness.proxy.passed.length;
      const probe = "of the burst";
      await harness.nodeRed.press("press-burst", { probe });
      await harness.nodeRed.shows(() => harness.seenAt("coins:0", probe).length === MESSAGES);
      for (const { crec } of harness.seenAt("coins:0", probe))
        should(crec).match({ status: "confirmed_latest", verification: { verified: true } });
      const posts = harness.proxy.passed.slice(from).filter(isPost);
      const sent = posts.map(({ body }) => JSON.parse(body).transactions[0].value);
      should(sent).deepEqual(["1", "2", "3", "4", "5"]);
      should(await harness.executions()).equal(before + MESSAGES);
    });

    if (minutes < 0) {
      it("says which way it is wrong where the deadline has passed before it was sent", async () => {
        const before = await harness.executions();
        const { error } = await harness.refuse("soon", good);
        should(error).have.property("code", "VALIDATION_ERROR");
        should(error?.message).match(
          new RegExp(
            `The clock of this machine is (${seconds}) s behind that of the service: check both\\. It said: deadline has passed already\\.`,
          ),
        );
        should(await harness.executions()).equal(before);
      });

      it("says so where a draft is too close to its deadline", async () => {
        const { crec } = await harness.ask("draft", good);
        const { error } = await harness.refuse("finalize", { crec: { ...crec } });
        should(error).have.property("code", "OPERATION_DEADLINE_ELAPSED");
        should(error?.message).match(
          new RegExp(`is (${seconds}) s behind that of the service: check both\\.`),
        );
      });

      it("says so where an accepted operation has expired", async () => {
        await harness.relays(false);
        const { error } = await harness.refuse("edge", good);
        await harness.relays(true);
        should(error).have.property("code", "OPERATION_EXPIRED");
        should(error?.message).match(
          /Its deadline is in \d+ s by the clock of this machine: check that clock\./,
        );
      });
    } else {
      it("executes also what is to be done soon", async () => {
        should((await harness.ask("soon", good)).crec).have.property("status", "confirmed_latest");
        const { crec } = await harness.ask("draft", good);
        should((await harness.ask("finalize", { crec: { ...crec } })).crec?.status).match(/^confirmed/);
      });

      it("looks for what was reported as failed until its deadline by the time of the service", async () => {
        const { base_url: baseUrl, api_key: apiKey, chain_selector } = harness.service.ready;
        const { crec: { channelId } = {} } = await harness.ask("coins", { payload: 1 });
        const client = new CrecClient({ baseUrl, apiKey });
        const { operation, digest } = await client.operations.draft(String(channelId), {
          ...{ chain_selector, address: harness.wallet, deadline: Math.floor(Date.now() / 1000) + 900 },
          transactions: [{ to: RECEIVER, value: "1", data: "0x" }],
        });
        await client.close();
        harness.lie("failed");
        const { error } = await harness.refuse("finalize", {
          crec: { operationId: operation.operation_id, digest },
        });
        should(error).have.property("code", "OPERATION_FAILED");
        // The pauses between them grow: they take longer than a second.
        await harness.proxy.next(6, isSearch);
        harness.proxy.harm = () => undefined;
        await eventually("a warning", () => /and the chain has executed it/.test(harness.nodeRed.log));
      });
    }
  });
}
