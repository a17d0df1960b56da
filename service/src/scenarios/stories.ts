import { keccak256, stringToHex, zeroHash } from "viem";
import { ZERO_ADDRESS } from "../../../src/protocol/index.ts";
import type { Randomness } from "./randomness.ts";
import {
  type Happening,
  HOUR,
  MINUTE,
  ordinaryTransfers,
  type Story,
  sensorId,
  times,
  tokens,
  transfer,
} from "./story.ts";

/** No part reaches the 200 tokens at which the example of large transfers raises an alert. */
const LARGEST_PART = 70;

const ADMIN = zeroHash;
const MINTER = keccak256(stringToHex("MINTER_ROLE"));
const GUARDIAN = keccak256(stringToHex("GUARDIAN_ROLE"));
/** The account that the example of the pause guardian knows. */
const KNOWN_ACCOUNT = "0x0000000000000000000000000000000000000d17";
/** The spender that the example of unknown spenders knows. */
const KNOWN_SPENDER = "0x0000000000000000000000000000000000000d16";

/** The sensor whose newest value the example of stale values reads. */
const SENSOR = sensorId("stale-example-1");

const BURST_EVENTS = 5_000;

const drain: Story = {
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

const mint: Story = {
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

const role: Story = {
  text: "Half a day of ordinary transfers and allowances of the guarded token. The administrator makes a known account guardian, and replaces a minter. Later a stranger becomes owner and administrator, takes the role from the administrator, grants himself the right to mint, and replaces the code.",
  async tell({ random, until, admin, pause }) {
    const from = until - 12 * HOUR;
    const [former, successor, stranger, code] = random.addresses(4);
    const happen = (at: number, event: string, args: Happening["args"]): Happening => ({
      ...{ at, contract: "GuardedToken", event, args },
    });
    const allowances = times(random, { from, to: until, every: 90 * MINUTE }).map((at) =>
      happen(at, "Approval", {
        ...{ owner: random.address(), spender: KNOWN_SPENDER },
        value: tokens(random.mostlySmall(1, 500)),
      }),
    );
    const change = random.whole(from + HOUR, from + 3 * HOUR);
    const ordinary = [
      happen(change - 30 * MINUTE, "RoleGranted", { role: GUARDIAN, account: KNOWN_ACCOUNT, sender: admin }),
      happen(change, "RoleGranted", { role: MINTER, account: successor, sender: admin }),
      happen(change + 5 * MINUTE, "RoleRevoked", { role: MINTER, account: former, sender: admin }),
    ];
    const begins = random.whole(from + 4 * HOUR, until - HOUR);
    const next = () => begins + random.whole(1, 4 * MINUTE);
    const taken = [
      happen(begins, "OwnershipTransferred", { previousOwner: admin, newOwner: stranger }),
      happen(begins, "RoleGranted", { role: ADMIN, account: stranger, sender: admin }),
      happen(next(), "RoleRevoked", { role: ADMIN, account: admin, sender: stranger }),
      happen(next(), "RoleGranted", { role: MINTER, account: stranger, sender: stranger }),
      happen(begins + 5 * MINUTE, "Upgraded", { implementation: code }),
    ].map((event) => ({ ...event, label: `taken over by ${stranger}` }));
    return [
      ...(await ordinaryTransfers(
        "GuardedToken",
        { random, pause },
        { from, to: until, every: 10 * MINUTE },
      )),
      ...allowances,
      ...ordinary,
      ...taken,
    ];
  },
};

const stalePrice: Story = {
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

const burst: Story = {
  text: "Two hours of ordinary transfers of the demo token. Then 5,000 events within five minutes, all from one wallet; about one transfer in ten has 200 tokens or more.",
  async tell({ random, until, reports, pause }) {
    const from = until - 2 * HOUR;
    const begins = random.whole(from + HOUR, until - 20 * MINUTE);
    const sender = random.address();
    const receivers = random.addresses(200);
    const sent: Happening[] = [];
    while (sent.length < Math.ceil(BURST_EVENTS / reports)) {
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

const silence: Story = {
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

export const SCENARIO_NAMES = ["drain", "mint", "role", "stale-price", "burst", "silence"] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** What happens in each scenario, and what of it should be noticed. */
export const SCENARIOS: Readonly<Record<ScenarioName, Story>> = {
  ...{ drain, mint, role, "stale-price": stalePrice, burst, silence },
};
