import { EventHarness, isPoll } from "../test/support/event-harness.ts";
import { eventsInNode } from "../test/support/nodes.ts";
import type { Measured } from "./measured.ts";
import { sized } from "./sized.ts";

const NODES = sized([1, 10, 100], [1, 2, 3]);
const MINUTE_MS = 60_000;
const WINDOW_MS = sized(MINUTE_MS, 2_000);
const POLL_SECONDS = sized("1", "0.2");

/** What nodes on one channel ask of the service in a minute, when each looks every second. */
export async function benchCallsOfOneChannel(): Promise<Measured[]> {
  const harness = await EventHarness.start(10, {});
  try {
    const measured: Measured[] = [];
    let one = Number.NaN;
    for (const count of NODES) {
      const ids = Array.from({ length: count }, (_, index) => `reader-${count}-${index}`);
      const polling = { pollMin: POLL_SECONDS, pollMax: POLL_SECONDS, verify: false, start: "now" };
      await harness.deploy(ids.map((id) => [eventsInNode({ id, consumer: id, ...polling }), 1]));
      await Promise.all(ids.map((id) => harness.nodeRed.status(id, "connected")));
      await harness.looked();
      const calls = (await callsIn(harness, WINDOW_MS)) * (MINUTE_MS / WINDOW_MS);
      if (count === 1) one = calls;
      const value = `${calls} calls a minute`;
      measured.push({ what: `${count} events in on one channel, each every second`, value });
      if (count > 1) measured.push({ what: "  of those of one", value: `${(calls / one).toFixed(2)} times` });
    }
    return measured;
  } finally {
    await harness.close();
  }
}

/** By the times at which they came, so that how long this process was busy does not matter. */
async function callsIn({ proxy }: EventHarness, windowMs: number): Promise<number> {
  const since = performance.now();
  for (;;) {
    await proxy.next(1);
    if (performance.now() > since + windowMs) break;
  }
  const inWindow = proxy.passed.filter(({ at }) => at > since && at <= since + windowMs);
  return inWindow.filter(isPoll).length;
}
