import should from "should";
import {
  eventReadings,
  isAmong,
  isReadAlike,
  readDifferently,
  watcherReadings,
} from "../../nodes/common/contracts/event-readings.ts";
import * as library from "../../src/index.ts";

const TRANSFER = "event Transfer(address indexed from, address indexed to, uint256 value)";

/** What the first reads differently than the second. */
function differing(one: string | readonly unknown[], other: string | readonly unknown[]): string[] {
  const [first, second] = [one, other].map((abi) =>
    eventReadings(typeof abi === "string" ? library.parseAbi(abi) : abi, library),
  );
  return readDifferently(first ?? new Map(), second ?? new Map()).map(({ text }) => text);
}

describe("how two ABIs read one event", () => {
  it("is alike where only notation differs", () => {
    should(differing(TRANSFER, TRANSFER)).be.empty();
    const json = [
      {
        ...{ type: "event", name: "Transfer" },
        inputs: [
          { name: "from", type: "address", indexed: true, internalType: "address" },
          { name: "to", type: "address", indexed: true },
          { name: "value", type: "uint", indexed: false },
        ],
      },
    ];
    should(differing(TRANSFER, json)).be.empty();
  });

  it("differs by names, their order, and what is indexed", () => {
    for (const other of [
      "event Transfer(address indexed to, address indexed from, uint256 value)",
      "event Transfer(address indexed from, address indexed to, uint256 amount)",
      "event Transfer(address indexed from, address to, uint256 indexed value)",
      "event Transfer(address indexed from, address indexed to, uint256)",
      "event Transfer(address from, address to, uint256 value)",
    ])
      should(differing(other, TRANSFER)).have.length(1);
    should(differing(TRANSFER, "event Transfer(address indexed to, address, uint256)")).deepEqual([
      "Transfer(address indexed from, address indexed to, uint256 value)",
    ]);
  });

  it("differs by names inside tuples, also of lists", () => {
    const paid = (components: string) => `event Paid((${components})[] orders, uint256 total)`;
    should(
      differing(
        paid("address from, (uint8 low, uint8 high) range"),
        paid("address from, (uint8 low, uint8 high) range"),
      ),
    ).be.empty();
    should(
      differing(
        paid("address from, (uint8 low, uint8 high) range"),
        paid("address from, (uint8 high, uint8 low) range"),
      ),
    ).deepEqual(["Paid((address from, (uint8 low, uint8 high) range)[] orders, uint256 total)"]);
    should(differing(paid("address from, address to"), paid("address to, address from"))).have.length(1);
  });

  it("is of one event only: one with other types, or without a topic, is another", () => {
    should(
      differing(TRANSFER, "event Transfer(address indexed to, address indexed from, uint128 value)"),
    ).be.empty();
    should(
      differing(
        TRANSFER,
        "event Transfer(address indexed to, address indexed from, uint256 value) anonymous",
      ),
    ).be.empty();
    const paid = [
      "event Paid(address from, uint256 value)",
      "event Paid(address from, uint256 value, bytes memo)",
    ];
    should(differing(paid.join("\n"), paid.toReversed().join("\n"))).be.empty();
    should(differing(paid.join("\n"), "event Paid(address to, uint256 value, bytes memo)")).deepEqual([
      "Paid(address from, uint256 value, bytes memo)",
    ]);
  });

  it("compares parameters without names, and events without parameters", () => {
    const unnamed = [{ type: "event", name: "Paid", inputs: [{ type: "uint256" }] }];
    should(differing(unnamed, [{ ...unnamed[0], inputs: [{ type: "uint256", name: "" }] }])).be.empty();
    should(differing(unnamed, "event Paid(uint256 value)")).deepEqual(["Paid(uint256)"]);
    should(differing([{ type: "event", name: "Closed" }], "event Closed()")).be.empty();
  });

  it("counts each of several ways in which one ABI has the event", () => {
    const nft = "event Transfer(address indexed from, address indexed to, uint256 indexed value)";
    const [both, token, again] = [`${nft}\n${TRANSFER}`, TRANSFER, `${TRANSFER}\n${nft}`].map((abi) => {
      const [reading] = eventReadings(library.parseAbi(abi), library).values();
      return reading as NonNullable<typeof reading>;
    });
    if (!both || !token || !again) throw new Error("They are read.");
    should(isReadAlike(both, again)).be.true();
    should(isReadAlike(both, token)).be.false();
    should(isAmong(token, both)).be.true();
    should(isAmong(both, token)).be.false();
  });

  it("leaves out what cannot be read, and reads the rest", () => {
    const broken = [
      ...[null, 7, "event Transfer(address to)", [], { type: "event" }, { type: "event", name: 7 }],
      { type: "event", name: "Transfer", inputs: {} },
      { type: "event", name: "Transfer", inputs: [null] },
      { type: "event", name: "Transfer", inputs: [{ name: "x", type: `uint8${"[]".repeat(1_000)}` }] },
      { type: "function", name: "transfer", inputs: [] },
    ];
    should(eventReadings([...broken, ...library.parseAbi(TRANSFER)], library).size).equal(1);
    for (const abi of [undefined, null, 7, {}, "event", { length: 3 }])
      should(eventReadings(abi, library).size).equal(0);
  });

  it("takes of a huge ABI, and of a long name, no more than a contract has", () => {
    const inputs = Array.from({ length: 250 }, (_, index) => ({ name: `n${index}`, type: "uint256" }));
    const events = Array.from({ length: 20_000 }, (_, index) => ({
      type: "event",
      name: `E${index}`,
      inputs,
    }));
    let parsed = 0;
    const counting = {
      ...library,
      parseAbi: (abi: Parameters<typeof library.parseAbi>[0]) => {
        parsed += 1;
        return library.parseAbi(abi);
      },
    };
    should(eventReadings(events, counting).size).equal(200);
    should(parsed).equal(200);
    const [long] = eventReadings([{ type: "event", name: "E".repeat(100_000) }], library).values();
    should(long?.text).match(/^E{199}…$/);
  });

  it("is compared for the events that a watcher reports", () => {
    const abi = library.eventFragments(library.parseAbi(`${TRANSFER}\nevent Closed()`), [
      "Transfer",
      "Closed",
    ]);
    should(watcherReadings({ abi, events: ["Closed"] }, library).size).equal(1);
    should(watcherReadings({ abi, events: ["Transfer(address,address,uint256)"] }, library).size).equal(1);
    should(watcherReadings({ abi, events: [] }, library).size).equal(2);
    should(watcherReadings({ abi }, library).size).equal(2);
    should(watcherReadings({ events: ["Closed"] }, library).size).equal(0);
    const opened = ["SettlementOpened", "Paid"];
    should([...watcherReadings({ service: "dvp", events: opened }, library).values()]).match([
      { text: "SettlementOpened(uint256 indexed settlementId, bytes32 indexed settlementHash)" },
    ]);
    should(watcherReadings({ service: "dvp", abi, events: ["Closed"] }, library).size).equal(1);
    should(watcherReadings({ service: "toString", events: ["Closed"] }, library).size).equal(0);
    const odd = { abi: { 0: abi }, events: [null, 7] } as unknown as Parameters<typeof watcherReadings>[0];
    should(watcherReadings(odd, library).size).equal(0);
  });
});
