import { type Happening, HOUR, MINUTE, ordinaryTransfers, type Story, transfer } from "../story.ts";

const EVENTS = 5_000;

export const burst: Story = {
  text: "Two hours of ordinary transfers of the demo token. Then 5,000 events within five minutes, all from one wallet; about one transfer in ten has 200 tokens or more.",
  async tell({ random, until, reports, pause }) {
    const from = until - 2 * HOUR;
    const begins = random.whole(from + HOUR, until - 20 * MINUTE);
    const sender = random.address();
    const receivers = random.addresses(200);
    const sent: Happening[] = [];
    while (sent.length < Math.ceil(EVENTS / reports)) {
      await pause();
      const sending = transfer("DemoToken", begins + random.whole(0, 5 * MINUTE - 1), {
        ...{ from: sender, to: random.pick(receivers) },
        amount: random.mostlySmall(1, 360),
      });
      sent.push({ ...sending, label: `burst of ${sender}` });
    }
    return [
      ...(await ordinaryTransfers("DemoToken", { random, pause }, { from, to: until, every: MINUTE })),
      ...sent,
    ];
  },
};
