import should from "should";
import { ForgedWorld } from "./forging/world.ts";

/** How long the relay forges. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
/** Of one stretch of lies: between two, a person moves the cursor back. */
const LIE_MS = Math.min(15_000, MINUTES * 20_000);
const WITHOUT_PROOFS_MS = 10_000;

describe(`live events and operations behind a relay that forges for ${MINUTES} minutes`, function () {
  this.timeout((MINUTES * 2 + 15) * 60_000);

  let world: ForgedWorld | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  it("send no forged value, act on none, and act once on each true event", async () => {
    world = await ForgedWorld.start({ verify: true });
    const until = performance.now() + MINUTES * 60_000;
    // biome-ignore lint/plugin: it forges for some time
    while (performance.now() < until) {
      await world.lie(LIE_MS);
      await world.tellTruth();
      should(await world.violations()).be.empty();
    }
    const { final, executed } = await world.truth;
    const rejected = await world.left("rejected");
    const { forgeries, counts } = world.relay;
    const told = { forgeries, events: final.size, operations: executed.length, rejected: rejected.length };
    process.stdout.write(`    ${JSON.stringify({ ...told, ...Object.fromEntries(counts) })}\n`);
    should(forgeries).be.above(MINUTES * 200);
    // How many of them become events of their own depends on the speed of the machine.
    should(rejected).not.be.empty();
    should(executed).have.length(final.size);
    should(world.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners/i);
  });

  it("are found out where the nodes check no proof", async () => {
    world = await ForgedWorld.start({ verify: false });
    await world.lie(WITHOUT_PROOFS_MS);
    const found = await world.violations();
    for (const what of [/^a forged event left/, /^an event left without a proof/, /for no true event/]) {
      should(found.some((one) => what.test(one))).be.true(`nothing like ${what}`);
    }
    process.stdout.write(`    ${found.length} violations found\n`);
  });
});
