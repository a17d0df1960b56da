import fc from "fast-check";
import should from "should";
import { parseAbi } from "../../../src/abi/index.ts";
import { type Condition, compileConditions, explainMatch, matchEvent } from "../../../src/alerts/index.ts";
import { COMPARISONS } from "../../../src/protocol/index.ts";
import { sized } from "../../support/variants.ts";
import { expected, type Meant, type Row } from "./model.ts";

const DIGITS_78 = 10n ** 78n;
const MOST = 2n ** 255n - 1n;
const LEAST = -MOST - 1n;
const abi = parseAbi("event Paid(int256 amount, bytes data, bool done, string note)");

/** A number of up to 78 digits, and one of the ways to write it. */
const number = fc
  .record({ digits: fc.bigInt({ min: -DIGITS_78, max: DIGITS_78 }), places: fc.constantFrom(0, 0, 1, 18) })
  .chain((meant) =>
    fc.record({
      meant: fc.constant({ kind: "number" as const, ...meant }),
      written: fc.constantFrom(...waysToWrite(meant)),
    }),
  );
/** So that equal numbers meet often. */
const smallNumber = fc
  .record({ digits: fc.bigInt({ min: -12n, max: 12n }), places: fc.constantFrom(0, 1) })
  .chain((meant) =>
    fc.record({
      meant: fc.constant({ kind: "number" as const, ...meant }),
      written: fc.constantFrom(...waysToWrite(meant)),
    }),
  );
const hex = fc
  .uint8Array({ minLength: 1, maxLength: 3 })
  .map((bytes) => Buffer.from(bytes).toString("hex"))
  .chain((digits) =>
    fc.record({
      meant: fc.constant({ kind: "hex" as const, digits }),
      written: fc.constantFrom(`0x${digits}`, `0x${digits.toUpperCase()}`),
    }),
  );
const bool = fc.boolean().chain((is) =>
  fc.record({
    meant: fc.constant({ kind: "bool" as const, is }),
    written: fc.constantFrom(is, String(is)),
  }),
);
const text = fc
  .stringMatching(/^[a-z ]{0,3}[g-s][a-z ]{0,3}$/)
  .map((written) => ({ meant: { kind: "text" as const, text: written }, written }));

type Written = { meant: Meant; written: string | bigint | boolean | number };
const NAMES = { number: "amount", hex: "data", bool: "done", text: "note" } as const;
const OF_KIND = { number: fc.oneof(number, smallNumber), hex, bool, text };
const COMPARED = COMPARISONS.filter((is) => !["contains", "startsWith", "endsWith"].includes(is));

/** Whether the row can hold for some value of the type of `amount`; each of several values must be able to. */
function isPossible({ is, values, to }: Row): boolean {
  const holds = (row: Pick<Row, "is" | "values">) =>
    [LEAST, MOST].some((digits) => expected({ ...row, not: false }, { kind: "number", digits, places: 0 }));
  if (is === "between")
    return holds({ is: "atLeast", values }) && holds({ is: "atMost", values: to ? [to] : [] });
  return is === "equals" || is === "oneOf" ? values.every(isOfType) : holds({ is, values });
}

function isOfType(one: Meant): boolean {
  if (one.kind !== "number") return false;
  const unit = 10n ** BigInt(one.places);
  return one.digits % unit === 0n && one.digits >= LEAST * unit && one.digits <= MOST * unit;
}

describe("conditions, against a simple model", () => {
  const kinds = fc.constantFrom("number", "hex", "bool", "text") as fc.Arbitrary<keyof typeof OF_KIND>;
  const rows = kinds.chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      field: fc.option(OF_KIND[kind] as fc.Arbitrary<Written>, { nil: undefined, freq: 8 }),
      values: fc.array(OF_KIND[kind] as fc.Arbitrary<Written>, { minLength: 1, maxLength: 4 }),
      to: OF_KIND[kind] as fc.Arbitrary<Written>,
      is: fc.constantFrom(...COMPARED),
      not: fc.boolean(),
    }),
  );

  it("have the results of the model, with and without an ABI", () => {
    fc.assert(
      fc.property(rows, ({ kind, field, values, to, is, not }) => {
        const isNumeric = ["above", "atLeast", "below", "atMost", "between"].includes(is);
        fc.pre(!isNumeric || kind === "number");
        const bounds = [values[0], to] as [Written, Written];
        if (is === "between")
          fc.pre(expected({ is: "atMost", values: [bounds[1].meant], not: false }, bounds[0].meant) === true);
        if (is === "between" && field) fc.pre(isOfType(field.meant));
        const condition: Condition = {
          field: `params.${NAMES[kind]}`,
          is,
          value: is === "oneOf" ? values.map(({ written }) => String(written)) : String(values[0]?.written),
          ...(is === "between" ? { to: String(to.written) } : {}),
          not,
        };
        const params = field === undefined ? {} : { [NAMES[kind]]: field.written };
        const meant = {
          is,
          values: (is === "oneOf" ? values : values.slice(0, 1)).map((one) => one.meant),
          to: to.meant,
          not,
        };
        const wanted = expected(meant, field?.meant);
        const isNever = wanted === not && field !== undefined && kind === "number" && !isPossible(meant);
        should(compileConditions([condition], abi)({ name: "Paid", params })).equal(
          isNever ? undefined : wanted,
        );
        should(compileConditions([condition])({ name: "Paid", params })).equal(wanted);
      }),
      { numRuns: sized(1_000, 3_000) },
    );
  });

  it("compare tokens as the same amounts in the smallest unit", () => {
    const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const decimals = fc.integer({ min: 0, max: 77 });
    const numeric = fc.constantFrom("above", "atLeast", "below", "atMost", "equals") as fc.Arbitrary<
      Condition["is"]
    >;
    fc.assert(
      fc.property(amounts, amounts, decimals, numeric, (have, limit, places, is) => {
        const tokens = inTokens(limit, places);
        const event = { name: "Paid", params: { amount: String(have) } };
        const inSmallest = compileConditions([{ field: "params.amount", is, value: String(limit) }]);
        const converted = { field: "params.amount", is, value: tokens, unit: "token" } as const;
        should(compileConditions([{ ...converted, decimals: places }])(event)).equal(inSmallest(event));
        const withTokens = { ...event, tokens: { amount: inTokens(have, places) } };
        should(compileConditions([converted])(withTokens)).equal(inSmallest(event));
      }),
    );
  });
});

describe("conditions on events of any form", () => {
  const anything = fc.anything({
    withBigInt: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withDate: true,
    withMap: true,
  });
  const fields = fc.constantFrom(
    "",
    "params",
    "params.value",
    "params.list[0]",
    "__proto__",
    "params.__proto__.a",
    "constructor",
    "params.a.b",
    "tokens.value",
  );
  const conditions = fc.record({
    field: fields,
    is: fc.constantFrom(...COMPARISONS),
    not: fc.boolean(),
  });
  const hostile = fc.record(
    {
      name: fc.oneof(fc.constantFrom("Paid", "__proto__", "constructor"), anything),
      params: fc.oneof(
        fc.dictionary(fc.constantFrom("value", "list", "a", "__proto__", "amount"), anything),
        anything,
      ),
      tokens: anything,
    },
    { requiredKeys: [] },
  );

  it("throw nothing, and have a reason for each result that is undecided", () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, anything),
        fc.array(conditions, { maxLength: 3 }),
        fc.boolean(),
        (event, rows, isAny) => {
          const set = {
            match: isAny ? ("any" as const) : ("all" as const),
            conditions: rows.map(
              (row): Condition => ({ ...row, value: row.is === "oneOf" ? ["1"] : "1", to: "2" }),
            ),
          };
          const { result, rows: results } = explainMatch(set, event, abi);
          should(matchEvent(set, event, abi)).equal(result === true);
          for (const row of results) should(row.reason !== undefined).equal(row.result === undefined);
        },
      ),
      { numRuns: sized(1_000, 3_000) },
    );
  });

  it("take deep nesting and long text", () => {
    let deep: unknown = "1";
    for (let depth = 0; depth < 100_000; depth += 1) deep = { a: deep };
    const check = compileConditions([{ field: Array(32).fill("a").join("."), is: "above", value: "1" }]);
    should(check(deep)).equal(undefined);
    const long = compileConditions([{ field: "a", is: "above", value: "1" }]);
    should(long({ a: "9".repeat(10_000_000) })).equal(undefined);
    should(long({ a: "1e999" })).equal(true);
    should(long({ a: "1e9999999" })).equal(undefined);
  });

  it("change nothing in the event", () => {
    const event = JSON.parse('{"name":"Paid","params":{"__proto__":{"a":"1"},"value":"2"}}');
    const before = JSON.stringify(event);
    should(matchEvent([{ field: "params.__proto__.a", is: "equals", value: "1" }], event)).equal(true);
    should(matchEvent([{ field: "params.a", is: "exists" }], event)).equal(false);
    should(JSON.stringify(event)).equal(before);
  });
});

function waysToWrite({ digits, places }: { digits: bigint; places: number }): Array<string | bigint> {
  const sign = digits < 0n ? "-" : "";
  const padded = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
  const [whole, fraction] = [padded.slice(0, padded.length - places), padded.slice(padded.length - places)];
  const plain = places === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
  const ways: Array<string | bigint> = [
    plain,
    `${digits}e-${places}`,
    `${sign}00${plain.slice(sign.length)}`,
  ];
  if (places === 0) ways.push(digits);
  // With an odd number of digits it cannot be taken for bytes.
  if (places === 0 && digits >= 0n && digits < 2n ** 256n && digits.toString(16).length % 2 === 1)
    ways.push(`0x${digits.toString(16)}`);
  return ways;
}

function inTokens(amount: bigint, decimals: number): string {
  return String(waysToWrite({ digits: amount, places: decimals })[0]);
}
