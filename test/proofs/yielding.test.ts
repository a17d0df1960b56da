import should from "should";
import { createVerifier, type Verifier } from "../../src/proofs/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { configOf, proofCases } from "./fixtures.ts";

const PROOFS = 50;
const MOST_AT_ONCE = 8;

/** How many proofs were read in each turn of the event loop while this ran. */
async function proofsByTurn(
  run: (verifier: Verifier, events: EventEnvelope[]) => unknown,
): Promise<number[]> {
  const [genuine] = proofCases;
  let read = 0;
  const events = Array.from({ length: PROOFS }, () => ({
    ...(genuine?.event as EventEnvelope),
    get payload() {
      read += 1;
      return genuine?.event.payload ?? {};
    },
  }));
  const turns: number[] = [];
  const count = () => {
    turns.push(read - turns.reduce((sum, before) => sum + before, 0));
    turn = setImmediate(count);
  };
  let turn = setImmediate(count);
  await run(createVerifier(configOf()), events);
  clearImmediate(turn);
  return [...turns, read - turns.reduce((sum, before) => sum + before, 0)];
}

describe("a verifier lets other work have its turn after every 8 proofs", () => {
  const ways: Record<string, (verifier: Verifier, events: EventEnvelope[]) => Promise<unknown>> = {
    "asked for all": (verifier, events) => verifier.verifyAll(events),
    "asked in a loop": async (verifier, events) => {
      for (const event of events) await verifier.verify(event);
    },
    "asked for many at once": (verifier, events) =>
      Promise.all(events.map((event) => verifier.verify(event))),
    "asked by two at once": (verifier, events) =>
      Promise.all([verifier.verifyAll(events.slice(0, 25)), verifier.verifyAll(events.slice(25))]),
  };
  for (const [way, run] of Object.entries(ways)) {
    it(way, async () => {
      const turns = await proofsByTurn(run);
      should(turns.reduce((sum, proofs) => sum + proofs)).equal(PROOFS);
      should(Math.max(...turns)).be.belowOrEqual(MOST_AT_ONCE);
    });
  }

  it("and answers in the order of the events", async () => {
    const cases = proofCases.filter(({ config }) => config === undefined);
    const results = await createVerifier(configOf()).verifyAll(cases.map(({ event }) => event));
    should(results.map(({ verified }) => (verified ? "verified" : "rejected"))).deepEqual(
      cases.map(({ expect }) => expect),
    );
  });
});
