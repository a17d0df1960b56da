import should from "should";
import { parseAbi } from "../../../src/abi/index.ts";
import {
  type Condition,
  type ConditionSet,
  compileConditions,
  explainMatch,
  matchEvent,
} from "../../../src/alerts/index.ts";

const ALICE = "0x5b571A50AC6cB524730C8419EBe452703139809A".replace("EBe", "Ebe");
const LARGEST = String(2n ** 256n - 1n);

type Case = [about: string, row: Condition, decoded: unknown, expected: boolean | undefined];

/** Each row and its opposite: `not` exchanges true and false. */
function judge(cases: readonly Case[], abi?: Parameters<typeof matchEvent>[2]): void {
  for (const [about, row, decoded, expected] of cases) {
    it(about, () => {
      const negated = { ...row, not: true };
      should(compileConditions([row], abi)(decoded)).equal(expected);
      should(matchEvent([row], decoded, abi)).equal(expected === true);
      should(compileConditions([negated], abi)(decoded)).equal(
        expected === undefined ? undefined : !expected,
      );
    });
  }
}

const value = (is: Condition["is"], text: string, more: Partial<Condition> = {}): Condition => ({
  field: "params.value",
  is,
  value: text,
  ...more,
});
const of = (field: unknown, more: object = {}) => ({ name: "Transfer", params: { value: field }, ...more });

describe("a condition on a field without an ABI", () => {
  judge([
    ["compares numbers of 78 digits exactly", value("above", `${BigInt(LARGEST) - 1n}`), of(LARGEST), true],
    ["knows equal numbers of 78 digits", value("equals", LARGEST), of(LARGEST), true],
    [
      "knows neighbours of 78 digits apart",
      value("equals", LARGEST),
      of(String(BigInt(LARGEST) - 1n)),
      false,
    ],
    ["compares a bigint", value("atLeast", LARGEST), of(BigInt(LARGEST)), true],
    ["compares a number", value("below", "8"), of(7), true],
    ["takes a number as its value", value("below", 8 as never), of(7), true],
    ["does not take a point for a number", value("equals", "0"), of("."), false],
    ["compares numbers of 300 characters", value("above", "1"), of("9".repeat(300)), true],
    ["compares fractions exactly", value("above", "0.1000000000000000000000000001"), of("0.1"), false],
    ["knows one number in several forms", value("equals", "1500"), of("1.5e3"), true],
    ["reads a hex integer", value("equals", "255"), of("0xff"), true],
    ["reads a hex integer with an odd number of digits", value("above", "14"), of("0xf"), true],
    ["does not take text order for number order", value("below", "100"), of("20"), true],
    ["does not guess a number that may be rounded", value("above", "1"), of(2 ** 60), undefined],
    ["does not compare infinity", value("above", "1"), of(Number.POSITIVE_INFINITY), undefined],
    ["does not compare text as a number", value("above", "1"), of("many"), undefined],
    ["includes the lower bound", value("between", "5", { to: "7" }), of("5"), true],
    ["includes the upper bound", value("between", "5", { to: "7" }), of("7.0"), true],
    ["excludes what is above both bounds", value("between", "5", { to: "7" }), of("7.1"), false],
    ["compares addresses without case", value("equals", ALICE.toLowerCase()), of(ALICE), true],
    [
      "finds an address in a list",
      value("oneOf", "", { value: [`0x${"0".repeat(40)}`, ALICE] }),
      of(ALICE.toLowerCase()),
      true,
    ],
    [
      "does not find an address that is not in it",
      value("oneOf", "", { value: [ALICE] }),
      of(`0x${"0".repeat(40)}`),
      false,
    ],
    ["compares bytes as bytes", value("equals", "0x0010"), of("0x10"), false],
    ["compares text exactly", value("equals", "Paid"), of("paid"), false],
    ["finds text with its case only", value("contains", "PA"), of("Paid"), false],
    ["ignores spaces around a number", value("equals", " 7 "), of("7"), true],
    ["ignores spaces around a limit", value("above", " 6 "), of("7"), true],
    ["keeps zeros inside of a number", value("equals", "1.005"), of("1.0050"), true],
    ["keeps zeros before other digits", value("equals", "1.5"), of("1.0050"), false],
    ["finds text in text", value("contains", "ai"), of("Paid"), true],
    ["finds text at the start", value("startsWith", "Pa"), of("Paid"), true],
    ["finds text at the end only", value("endsWith", "Pa"), of("Paid"), false],
    ["finds hex without case", value("startsWith", "0xDEAD"), of("0xdeadbeef"), true],
    ["finds digits in a number", value("endsWith", "99"), of(199), true],
    ["finds an element of a list", value("contains", "2"), of(["1", "0x2"]), true],
    ["does not take part of an element", value("contains", "2"), of(["12"]), false],
    ["does not compare a whole list", value("equals", "2"), of(["2"]), undefined],
    ["does not compare several parts", value("equals", "2"), of({ a: "2" }), undefined],
    ["takes true", value("isTrue", ""), of(true), true],
    ["takes true as text", value("isTrue", ""), of("true"), true],
    ["takes false for true's opposite", value("isFalse", ""), of("false"), true],
    ["does not take 1 for true", value("isTrue", ""), of(1), undefined],
    ["equals a boolean", value("equals", "true"), of(true), true],
    ["compares the value itself", { field: "", is: "above", value: "5" }, "6", true],
    [
      "reads an element",
      { field: "params.value[1].id", is: "equals", value: "7" },
      of([{}, { id: 7 }]),
      true,
    ],
    [
      "reads the length of a list",
      { field: "params.value.length", is: "above", value: "1" },
      of([1, 2]),
      true,
    ],
    [
      "finds a name in the form of the service",
      { field: "params.fundTokenId", is: "equals", value: "7" },
      { params: { fund_token_id: "7" } },
      true,
    ],
    [
      "finds a name of the service in the form of the ABI",
      { field: "params.fund_token_i_d", is: "equals", value: "7" },
      { params: { fundTokenID: "7" } },
      true,
    ],
    ["knows that a field exists", { field: "confidence", is: "exists" }, { confidence: "latest" }, true],
    ["knows that a field is missing", { field: "confidence", is: "exists" }, {}, false],
    ["takes null for missing", { field: "confidence", is: "exists" }, { confidence: null }, false],
    ["does not read what an object inherits", { field: "constructor", is: "exists" }, {}, false],
    ["does not read a prototype", { field: "__proto__.constructor", is: "exists" }, {}, false],
  ]);

  it("does not hold for a missing field, and neither does its opposite", () => {
    for (const is of ["equals", "above", "contains", "isTrue"] as const) {
      for (const not of [false, true]) {
        should(compileConditions([value(is, "1", { not })])({ params: {} })).equal(false);
      }
    }
  });
});

describe("a condition on an amount in tokens", () => {
  const amount = (is: Condition["is"], text: string, decimals?: number): Condition =>
    value(is, text, { unit: "token", ...(decimals === undefined ? {} : { decimals }) });

  judge(
    [
      ["is converted by decimals", amount("atLeast", "1.5", 18), of("1500000000000000000"), true],
      ["is not rounded", amount("atLeast", "1.5", 18), of("1499999999999999999"), false],
      ["may be finer than the smallest unit", amount("above", "0.0000005", 6), of("1"), true],
      ["may be finer than the smallest unit, and larger", amount("below", "0.0000015", 6), of("1"), true],
      [
        "is compared with the event's own amount",
        amount("above", "1"),
        of("1500", { tokens: { value: "1.5" } }),
        true,
      ],
      [
        "does not need the event's own amount",
        amount("above", "1", 3),
        of("1500", { tokens: { value: "0.5" } }),
        true,
      ],
      ["cannot be decided without decimals", amount("above", "1"), of("1500"), undefined],
      ["equals one of several", { ...amount("oneOf", "", 2), value: ["1", "1.50"] }, of("150"), true],
      ["is an element of a list", { ...amount("contains", "1.5", 2) }, of(["1", "150"]), true],
      ["is not part of a number", { ...amount("contains", "1", 2) }, of("100"), undefined],
      [
        "is in tokens already under `tokens`, without decimals",
        { field: "tokens.value", is: "above", value: "1", unit: "token" },
        { tokens: { value: "1.5" } },
        true,
      ],
      [
        "is in tokens already under `tokens`",
        { field: "tokens.value", is: "above", value: "1", unit: "token", decimals: 6 },
        { tokens: { value: "1.5" } },
        true,
      ],
      [
        "cannot be an address",
        { ...amount("above", "1", 2), field: "params.to" },
        { name: "T", params: { to: ALICE } },
        undefined,
      ],
    ],
    parseAbi("event T(address to)"),
  );

  it("does not hold where the field is missing, whatever is in `tokens`", () => {
    const odd = { params: {}, tokens: { value: "5" } };
    should(compileConditions([amount("above", "1")])(odd)).equal(false);
    should(compileConditions([{ ...amount("above", "1"), not: true }])(odd)).equal(false);
  });
});

describe("a condition with an ABI", () => {
  const abi = parseAbi(`
    struct Order { address maker; uint256 amount; uint64[] parts; }
    event Transfer(address from, address to, uint256 value)
    event Transfer(address from, address to, uint256 value, bytes note)
    event Note(string text, bytes data, bool done, address[] to, bytes32 id, string indexed topic)
    event Placed(Order order, Order[] more)
    event Same(string key)
    event Same(uint256 key, uint256 extra)
    event Odd(uint256, address)
  `);
  const note = (params: object) => ({ name: "Note", params });
  const where = (field: string, is: Condition["is"], text: string): Condition => ({
    field: `params.${field}`,
    is,
    value: text,
  });

  judge(
    [
      [
        "compares text exactly, although it looks like a number",
        where("text", "equals", "1.0"),
        note({ text: "1" }),
        false,
      ],
      [
        "compares text exactly, although it looks like bytes",
        where("text", "equals", "0xAB"),
        note({ text: "0xab" }),
        false,
      ],
      ["compares bytes without case", where("data", "equals", "0xAB"), note({ data: "0xab" }), true],
      ["compares numbers in text by order", where("text", "above", "9"), note({ text: "10" }), true],
      [
        "does not take bytes for a number",
        where("id", "above", "9"),
        note({ id: `0x${"0".repeat(63)}a` }),
        undefined,
      ],
      [
        "does not compare an address with a value that is not one",
        where("from", "equals", "alice"),
        { name: "Transfer", params: { from: ALICE } },
        undefined,
      ],
      [
        "does not compare a number with a value that is not one",
        where("value", "equals", "many"),
        of("5"),
        undefined,
      ],
      ["compares a boolean", where("done", "equals", "true"), note({ done: "true" }), true],
      [
        "finds an address in a list",
        where("to", "contains", ALICE.toLowerCase()),
        note({ to: [ALICE] }),
        true,
      ],
      [
        "reads an element by its type",
        where("to[0]", "equals", ALICE.toLowerCase()),
        note({ to: [ALICE] }),
        true,
      ],
      [
        "reads a tuple",
        where("order.amount", "above", "5"),
        { name: "Placed", params: { order: { amount: "6" } } },
        true,
      ],
      [
        "reads a tuple in a list",
        where("more[1].maker", "equals", ALICE.toUpperCase().replace("X", "x")),
        { name: "Placed", params: { more: [{}, { maker: ALICE }] } },
        true,
      ],
      [
        "reads a list in a tuple",
        where("order.parts", "contains", "0x7"),
        { name: "Placed", params: { order: { parts: ["7"] } } },
        true,
      ],
      [
        "cannot compare an indexed text, of which there is only a hash",
        where("topic", "equals", "gold"),
        note({ topic: `0x${"ab".repeat(32)}` }),
        undefined,
      ],
      [
        "compares that hash",
        where("topic", "equals", `0x${"AB".repeat(32)}`),
        note({ topic: `0x${"ab".repeat(32)}` }),
        true,
      ],
      [
        "chooses among events of one name by their parameters: text",
        where("key", "equals", "1.0"),
        { name: "Same", params: { key: "1" } },
        false,
      ],
      [
        "chooses among events of one name by their parameters: number",
        where("key", "equals", "1.0"),
        { name: "Same", params: { key: "1", extra: "2" } },
        true,
      ],
      [
        "needs no choice where the types agree",
        where("value", "equals", "0x5"),
        of("5", { name: "Transfer" }),
        true,
      ],
      [
        "knows a parameter without a name by its position",
        where("arg1", "equals", ALICE.toLowerCase()),
        { name: "Odd", params: { arg1: ALICE } },
        true,
      ],
      [
        "lets the values decide for an event that it does not have",
        where("text", "equals", "1.0"),
        { name: "Other", params: { text: "1" } },
        true,
      ],
      [
        "goes by the look where the event has no name",
        where("text", "equals", "1.0"),
        { params: { text: "1" } },
        true,
      ],
    ],
    abi,
  );
});

describe("a condition whose type the ABI decides", () => {
  const rare = (name: string, type: string) => ({ name, type, indexed: false });
  const inputs = [rare("rate", "fixed8x2"), rare("callback", "function")];
  const abi = parseAbi([{ type: "event", name: "Rated", inputs }]).concat(
    parseAbi(`
    event Sent(address indexed to, bytes32 indexed id, string[] notes, uint256 fundTokenId, bool done)
    event Many(uint256[] v, uint256 w)
    event Noted(uint256, string indexed topic)
    event Many(uint256 v)
    event Short(bytes4 id, bytes4[] indexed ids)
    event Short(bytes8 id, bytes4[] indexed ids)
  `),
  );
  const rated = (rate: string) => ({ name: "Rated", params: { rate } });
  const sent = (params: object, more: object = {}) => ({ name: "Sent", params, ...more });
  const where = (field: string, is: Condition["is"], text: string): Condition => ({
    ...{ field: `params.${field}`, is, value: text },
  });
  judge(
    [
      ["is an indexed address", where("to", "equals", ALICE.toLowerCase()), sent({ to: ALICE }), true],
      ["is indexed bytes", where("id", "startsWith", "0xAB"), sent({ id: `0x${"ab".repeat(32)}` }), true],
      [
        "is an element of a list",
        where("notes[12]", "equals", "1.0"),
        sent({ notes: Array(13).fill("1") }),
        false,
      ],
      ["is in a list", where("notes", "contains", "1.0"), sent({ notes: ["1"] }), false],
      ["is not a list", where("notes", "contains", "1"), sent({ notes: "1" }), undefined],
      [
        "has the name of the service",
        where("fund_token_id", "equals", "many"),
        sent({ fund_token_id: "7" }),
        undefined,
      ],
      ["is a fixed-point number", where("rate", "above", "1.1"), rated("1.20"), true],
      ["is an equal fixed-point number", where("rate", "equals", "1.2"), rated("1.20"), true],
      [
        "is a fixed-point number that it cannot be",
        where("rate", "equals", "1.205"),
        rated("1.20"),
        undefined,
      ],
      [
        "is a function",
        where("callback", "equals", `0x${"AB".repeat(24)}`),
        { name: "Rated", params: { callback: `0x${"ab".repeat(24)}` } },
        true,
      ],
      [
        "is of one of two lengths",
        where("id", "equals", "0x0102030405060708"),
        { name: "Short", params: { id: "0x01020304" } },
        undefined,
      ],
      [
        "is a hash of a list",
        where("ids", "equals", `0x${"ee".repeat(32)}`),
        { name: "Short", params: { id: "0x01020304", ids: `0x${"ab".repeat(32)}` } },
        false,
      ],
      ["is a boolean", where("done", "equals", "yes"), sent({ done: "yes" }), undefined],
      [
        "is a list in another event of this name",
        where("v", "equals", "5"),
        { name: "Many", params: { v: "5" } },
        true,
      ],
      ["is the length of a list", where("notes.length", "above", "1"), sent({ notes: ["1", "2"] }), true],
      [
        "is only a hash of the text",
        where("topic", "contains", "go"),
        { name: "Noted", params: { topic: `0x${"ab".repeat(32)}` } },
        undefined,
      ],
      [
        "has no name, but a position",
        where("0", "equals", "many"),
        { name: "Noted", params: { 0: "7" } },
        undefined,
      ],
      [
        "is a number that it cannot be",
        where("fundTokenId", "equals", "1.5"),
        sent({ fundTokenId: "1" }),
        undefined,
      ],
      [
        "is an amount with too many decimal places",
        { ...where("fundTokenId", "equals", "1.234"), unit: "token", decimals: 2 },
        sent({ fundTokenId: "123" }),
        undefined,
      ],
      [
        "is one of bytes of its length and of another one",
        { field: "params.id", is: "oneOf", value: ["0x00", `0x${"ab".repeat(32)}`] as never },
        sent({ id: `0x${"ab".repeat(32)}` }),
        true,
      ],
      [
        "is an amount in tokens",
        { ...where("fundTokenId", "above", "1"), unit: "token" },
        sent({ fundTokenId: "1500" }, { tokens: { fundTokenId: "1.5" } }),
        true,
      ],
    ],
    abi,
  );
});

describe("a condition with an ABI that has an event several times", () => {
  const abi = parseAbi(`
    event Note(string indexed v, uint8 a)
    event Note(string v, uint8 indexed a)
    event Pair(string a, uint256 a, uint256 tokenId, string token_id)
  `);
  const where = (field: string, is: Condition["is"], text: string): Condition => ({
    ...{ field: `params.${field}`, is, value: text },
  });
  judge(
    [
      [
        "is about the item whose values fit",
        where("v", "equals", "1.0"),
        { name: "Note", params: { v: "1", a: "2" } },
        false,
      ],
      [
        "reads a repeated name by its position",
        where("arg0", "equals", "1.0"),
        { name: "Pair", params: { arg0: "1", arg1: "1", tokenId: "1", token_id: "1" } },
        false,
      ],
      [
        "reads the other one by its type",
        where("arg1", "equals", "1.0"),
        { name: "Pair", params: { arg0: "1", arg1: "1", tokenId: "1", token_id: "1" } },
        true,
      ],
      [
        "does not take a name for one that the wire writes so",
        where("token_id", "equals", "1.0"),
        { name: "Pair", params: { arg0: "1", arg1: "1", tokenId: "1", token_id: "1" } },
        false,
      ],
    ],
    abi,
  );
});

describe("the reason why a condition cannot be decided", () => {
  const abi = parseAbi(
    "event Note(address to, string indexed topic, bytes32 id, uint256[] list, uint8 level, int8 shift, bytes4[] ids)",
  );
  const says = (row: Condition, params: object, sentence: string) =>
    it(sentence, () => {
      const [explained] = explainMatch([row], { name: "Note", params }, abi).rows;
      should(explained?.reason).equal(`${row.field} cannot be compared: ${sentence}.`);
    });
  const on = (
    field: string,
    is: Condition["is"],
    text: string,
    more: Partial<Condition> = {},
  ): Condition => ({
    ...{ field: `params.${field}`, is, value: text, ...more },
  });

  says(
    on("list", "equals", "1"),
    { list: ["1"] },
    'it is a list: use "contains", or name an element such as [0]',
  );
  says(on("list", "contains", "1"), { list: "1" }, "its value is not a list, as uint256[] is");
  says(on("other", "equals", "1"), { other: {} }, "it has several parts: name one of them");
  says(on("other", "above", "1"), { other: 2 ** 60 }, "its value is not a number that is known exactly");
  says(on("other", "endsWith", "1"), { other: 2 ** 60 }, "its value is not a number that is known exactly");
  says(on("other", "isTrue", ""), { other: "yes" }, "its value is not true or false");
  says(on("to", "equals", "alice"), { to: ALICE }, '"alice" is not an address');
  says(on("to", "equals", ALICE), { to: "alice" }, "its value is not an address");
  says(on("id", "equals", "five"), { id: "0x05" }, '"five" is not bytes as hex');
  const id = `0x${"00".repeat(32)}`;
  says(on("id", "equals", "0x00"), { id }, '"0x00" has 1 byte, bytes32 has 32');
  says(
    on("id", "oneOf", ["0x00", `0x${"01".repeat(32)}`] as never),
    { id },
    '"0x00" has 1 byte, bytes32 has 32',
  );
  says(on("ids", "contains", "0x"), { ids: ["0x00000000"] }, '"0x" has 0 bytes, bytes4 has 4');
  says(
    on("id", "startsWith", `${id}00`),
    { id },
    `"${id.slice(0, 60)}…" is longer than bytes32, which has 64 hex digits`,
  );
  says(on("level", "equals", "256"), { level: "5" }, '"256" is outside of uint8, which is 0 to 255');
  says(on("shift", "equals", "-129"), { shift: "5" }, '"-129" is outside of int8, which is -128 to 127');
  says(on("level", "equals", "1.5"), { level: "1" }, '"1.5" is not a whole number, as uint8 is');
  says(on("level", "above", "255"), { level: "5" }, "no uint8 is above 255");
  says(on("shift", "between", "128", { to: "200" }), { shift: "5" }, "no int8 is at least 128");
  says(
    on("level", "equals", "0.123", { unit: "token", decimals: 2 }),
    { level: "12" },
    '"0.123" has more than 2 decimal places',
  );
  says(
    on("to", "above", "1", { unit: "token" }),
    { to: ALICE },
    "it is of type address, which is not an amount",
  );
  says(
    on("other", "contains", "1", { unit: "token", decimals: 2 }),
    { other: "100" },
    "it is one amount and not a list: use another comparison",
  );
  says(
    on("topic", "equals", "gold"),
    { topic: `0x${"ab".repeat(32)}` },
    '"gold" is not the hash of a value, which is all that the chain stores of this indexed parameter',
  );
});

describe("several conditions", () => {
  const yes = value("above", "1");
  const no = value("above", "100");
  const open = value("above", "1", { unit: "token" });
  const decided = (match: ConditionSet["match"], ...conditions: Condition[]) =>
    compileConditions({ match, conditions })(of("5"));

  it("all: false if one is, else undecided if one is", () => {
    should(decided("all", yes, yes)).equal(true);
    should(decided("all", yes, open, no)).equal(false);
    should(decided("all", yes, open)).equal(undefined);
  });

  it("any: true if one is, else undecided if one is", () => {
    should(decided("any", no, no)).equal(false);
    should(decided("any", no, open, yes)).equal(true);
    should(decided("any", no, open)).equal(undefined);
  });

  it("match every event where there are no conditions", () => {
    should(decided("all")).equal(true);
    should(decided("any")).equal(true);
  });

  it("are explained one by one, with a reason where one cannot be decided", () => {
    const explained = explainMatch({ match: "any", conditions: [no, open, yes] }, of("5"));
    should(explained.result).equal(true);
    should(explained.rows.map(({ result }) => result)).eql([false, undefined, true]);
    should(explained.rows.map(({ condition }) => condition)).eql([no, open, yes]);
    should(explained.rows.map(({ reason }) => reason !== undefined)).eql([false, true, false]);
    should(explained.rows[1]?.reason).match(
      /^params\.value cannot be compared: the decimals .* are not known.*\.$/,
    );
  });
});

describe("a condition that is wrong itself", () => {
  const refused = (path: string, condition: object, set: object = {}) =>
    it(`is refused: ${JSON.stringify(condition)} ${JSON.stringify(set)}`.slice(0, 90), () => {
      const conditions = { match: "all", conditions: [condition], ...set } as unknown as ConditionSet;
      const message = new RegExp(`^${escaped(path)} .*\\.$`);
      should(() => compileConditions(conditions)).throw(message, { code: "INVALID_ARGUMENT", path });
    });
  const escaped = (text: string) => text.replace(/[[\].]/g, "\\$&");
  const at = (name: string) => `conditions[0].${name}`;

  refused(at("is"), { field: "a", is: "like", value: "1" });
  refused(at("value"), { field: "a", is: "above", value: "many" });
  refused(at("value"), { field: "a", is: "above" });
  refused(at("value"), { field: "a", is: "above", value: 2 ** 60 });
  refused(at("value"), { field: "a", is: "equals", value: ["1"] });
  refused(at("value"), { field: "a", is: "contains", value: "" });
  refused(at("value"), { field: "a", is: "oneOf", value: [] });
  refused(at("value"), { field: "a", is: "oneOf", value: "1, 2" });
  refused(at("value[1]"), { field: "a", is: "oneOf", value: ["1", null] });
  refused(at("value"), { field: "a", is: "equals", value: "one", unit: "token" });
  refused(at("to"), { field: "a", is: "between", value: "2", to: "1.9" });
  refused(at("to"), { field: "a", is: "between", value: "2" });
  refused(at("to"), { field: "a", is: "between", value: "2", to: "many" });
  refused(at("value"), { field: "a", is: "between", value: "many", to: "2" });
  refused(at("unit"), { field: "a", is: "above", value: "1", unit: "ether" });
  refused(at("unit"), { field: "a", is: "startsWith", value: "1", unit: "token" });
  refused(at("decimals"), { field: "a", is: "above", value: "1", unit: "token", decimals: 78 });
  refused(at("decimals"), { field: "a", is: "above", value: "1", decimals: 6 });
  refused(at("value"), { field: "a", is: "equals", value: "a".repeat(10_001) });
  refused(at("not"), { field: "a", is: "exists", not: "no" });
  refused(at("field"), { field: "a..b", is: "exists" });
  refused(at("field"), { field: "a[b]", is: "exists" });
  refused(at("field"), { field: Array(33).fill("a").join("."), is: "exists" });
  refused(at("field"), { is: "exists" });
  refused("conditions[0]", null as unknown as object);
  refused("match", { field: "a", is: "exists" }, { match: "none" });
  refused("conditions", {}, { conditions: "all" });
  refused("conditions", {}, { conditions: Array(1001).fill({ field: "a", is: "exists" }) });
});
