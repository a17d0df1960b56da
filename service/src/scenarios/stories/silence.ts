import { HOUR, MINUTE, ordinaryTransfers, type Story } from "../story.ts";

export const silence: Story = {
  text: "Six hours with a transfer of the demo token about every 30 seconds, and in the middle an hour without any. The last transfer before it is labelled: what should be noticed is that none follows.",
  async tell({ random, until, pause }) {
    const from = until - 6 * HOUR;
    const begins = random.whole(from + 2 * HOUR, until - 3 * HOUR);
    const traffic = await ordinaryTransfers(
      "DemoToken",
      { random, pause },
      { from, to: until, every: MINUTE / 2 },
    );
    const heard = traffic.filter(({ at }) => at <= begins || at > begins + HOUR);
    const last = heard.filter(({ at }) => at <= begins).at(-1);
    return heard.map((one) => (one === last ? { ...one, label: "silence" } : one));
  },
};
