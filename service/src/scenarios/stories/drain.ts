import { HOUR, MINUTE, ordinaryTransfers, type Story, times, transfer } from "../story.ts";

/** No part reaches the 200 tokens at which the example of large transfers raises an alert. */
const LARGEST_PART = 70;

export const drain: Story = {
  text: "Half a day of ordinary transfers of the demo token, a few of them large. Within three hours, one wallet is emptied in small parts, none above 70 tokens.",
  async tell({ random, until, pause }) {
    const from = until - 12 * HOUR;
    const [victim = random.address(), exchange = random.address()] = random.addresses(2);
    const thieves = random.addresses(3);
    const large = Array.from({ length: random.whole(2, 4) }, () =>
      transfer("DemoToken", random.whole(from, until), {
        ...{ from: exchange, to: random.address() },
        amount: random.between(220, 600),
      }),
    );
    const begins = random.whole(from + 3 * HOUR, until - 4 * HOUR);
    const parts = times(random, { from: begins, to: begins + 3 * HOUR, every: 5 * MINUTE }).map((at) => ({
      ...transfer("DemoToken", at, {
        ...{ from: victim, to: random.pick(thieves) },
        amount: random.between(25, LARGEST_PART),
      }),
      label: `drain of ${victim}`,
    }));
    return [
      ...(await ordinaryTransfers("DemoToken", { random, pause }, { from, to: until, every: 4 * MINUTE })),
      ...large,
      ...parts,
    ];
  },
};
