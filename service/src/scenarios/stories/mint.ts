import { ZERO_ADDRESS } from "../../../../src/protocol/index.ts";
import { HOUR, MINUTE, ordinaryTransfers, type Story, times, transfer } from "../story.ts";

export const mint: Story = {
  text: "Half a day of ordinary mints, burns and transfers of the guarded token, and one announced redemption of 11,000 to 14,000 tokens. Then far more is minted than ever before, at once or in three parts within eight minutes.",
  async tell({ random, until, pause }) {
    const from = until - 12 * HOUR;
    const holders = random.addresses(12);
    const supply = times(random, { from, to: until, every: 25 * MINUTE }).map((at) => {
      const holder = random.pick(holders);
      const amount = random.mostlySmall(20, 800);
      return random.next() < 0.6
        ? transfer("GuardedToken", at, { from: ZERO_ADDRESS, to: holder, amount })
        : transfer("GuardedToken", at, { from: holder, to: ZERO_ADDRESS, amount });
    });
    const redemption = transfer("GuardedToken", random.whole(from + HOUR, from + 3 * HOUR), {
      ...{ from: random.pick(holders), to: ZERO_ADDRESS },
      amount: random.between(11_000, 14_000),
    });
    const begins = random.whole(from + 4 * HOUR, until - HOUR);
    const thief = random.address();
    const total = random.between(60_000, 120_000);
    const parts = random.next() < 0.5 ? 1 : 3;
    const minted = Array.from({ length: parts }, (_, part) => ({
      ...transfer("GuardedToken", begins + part * 4 * MINUTE, {
        ...{ from: ZERO_ADDRESS, to: thief },
        amount: total / parts,
      }),
      label: `mint for ${thief}`,
    }));
    return [
      ...(await ordinaryTransfers(
        "GuardedToken",
        { random, pause },
        { from, to: until, every: 10 * MINUTE },
      )),
      ...supply,
      redemption,
      ...minted,
    ];
  },
};
