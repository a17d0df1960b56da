import type { Node } from "node-red";
import should from "should";
import { Router } from "../../nodes/alert/outputs/router.ts";
import { MemorySharedState, SharedAlertStore } from "../../src/index.ts";
import { makeRule, START } from "../alerts/rule/make-rule.ts";
import { eventually } from "../support/eventually.ts";

describe("what an alert node sends of what its rule keeps", () => {
  /** Copies with the same rule, which keeps an end that waits for the event of its alert. */
  const copies = async (count: number) => {
    const shared = new MemorySharedState();
    const sent: string[] = [];
    let isInFlight = true;
    const open = async () => {
      const store = new SharedAlertStore({ shared, scope: "rule", ttlMs: 1e9 });
      const { rule, at } = makeRule({ kind: "each" }, { recovers: true }, { id: "rule", store });
      const router = new Router(
        {
          t: (text: string) => text,
          node: { id: "alert", send: () => sent.push("end"), warn: () => {} } as unknown as Node,
        },
        {
          library: {
            findInFlight: () => (isInFlight ? [{ identity: { consumer: "c" } }] : []) as never,
            noteAckReceiver: () => () => {},
            redeliveryMs: () => 1,
          },
          keepsPending: false,
          acknowledge: (outcome) => rule.acknowledge(outcome),
          isPending: async () => true,
        },
      );
      const sendPending = async () => {
        for (const outcome of await rule.pending()) {
          const separate = { id: "end", outcome, message: { payload: outcome.alert.id }, output: "resolved" };
          router.sendSeparate([separate as never], true);
        }
      };
      return { rule, at, router, sendPending };
    };
    const first = await open();
    await first.at(0, { details: () => ({ from: { eventId: "event", consumer: "c" } }) });
    const { outcomes } = await first.rule.accept({ key: "", at: START + 1, matches: false });
    await first.rule.keep(outcomes);
    const all = [first, ...(await Promise.all(Array.from({ length: count - 1 }, open)))];
    const settle = () => {
      isInFlight = false;
    };
    return { all, sent, settle };
  };

  it("is sent by one of several copies that wait for its event", async () => {
    const { all, sent, settle } = await copies(3);
    for (const { sendPending } of all) await sendPending();
    should(sent).be.empty();
    settle();
    await eventually("the end", () => sent.length > 0);
    for (const { router, rule } of all) {
      router.close();
      await router.idle();
      should(router.unsent).be.empty();
      await rule.close();
    }
    should(sent).have.length(1);
  });

  it("is not lost where the node is closed in the moment in which it would be sent", async () => {
    const { all, sent, settle } = await copies(1);
    const [{ router, sendPending, rule }] = all as [(typeof all)[0]];
    settle();
    await sendPending();
    router.close();
    await router.idle();
    should(sent).be.empty();
    should(router.unsent.map(({ kind }) => kind)).eql(["recovered"]);
    should(await rule.pending()).be.empty();
    await rule.close();
  });
});
