import type { Randomness } from "../randomness.ts";
import { type Happening, HOUR, MINUTE, ordinaryTransfers, type Story, sensorId, times } from "../story.ts";

/** The sensor whose newest value the example of stale values reads. */
const SENSOR = sensorId("stale-example-1");

export const stalePrice: Story = {
  text: "For hours, a price is updated about once a minute, with one pause of less than five minutes. Then the updates stop, while transfers of the demo token go on. The last update is labelled: what should be noticed is that no other follows.",
  async tell({ random, until, admin, pause }) {
    const from = until - 8 * HOUR;
    const stops = until - random.whole(75 * MINUTE, 120 * MINUTE);
    const gap = random.whole(from + HOUR, stops - HOUR);
    const span = { from, to: stops, every: MINUTE };
    const updates = times(random, span).filter((at) => at < gap || at > gap + 1.5 * MINUTE);
    const last = updates.at(-1);
    let price = random.between(1_800, 3_200);
    const readings = updates.map((at): Happening => {
      price *= 1 + random.between(-0.002, 0.002);
      const reading = priceReading(random, at, { price, reporter: admin });
      return at === last ? { ...reading, label: "the price stops" } : reading;
    });
    return [
      ...readings,
      ...(await ordinaryTransfers("DemoToken", { random, pause }, { from, to: until, every: 3 * MINUTE })),
    ];
  },
};

/** The registry has values in thousandths. */
function priceReading(
  random: Randomness,
  at: number,
  { price, reporter }: { price: number; reporter: string },
): Happening {
  return {
    ...{ at, contract: "SensorRegistry", event: "SensorReading" },
    args: {
      ...{ sensorId: SENSOR, reporter, value: BigInt(Math.round(price * 1000)) },
      takenAt: BigInt(at - random.whole(1, 5)),
      ...{ quality: 100, alarm: false, unit: "USD", payload: "0x" },
    },
  };
}
