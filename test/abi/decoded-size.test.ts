import should from "should";
import { concatHex, encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from "viem";
import { logParams } from "../../src/abi/index.ts";
import { decodeRaw } from "../../src/abi/raw.ts";

const word = (value: number) => numberToHex(value, { size: 32 });
const ALL_BYTES = (size: number): Hex => `0x${"ab".repeat(size)}`;

/** A list of bytes in which each pointer leads to the same ones. */
const overlapping = (pointers: number, bytes: number) =>
  concatHex([
    ...[word(32), word(pointers), ...Array.from({ length: pointers }, () => word(32 * pointers))],
    ...[word(bytes), ALL_BYTES(bytes)],
  ]);

/** A list of pointers that all lead to what comes after it. */
const pointersTo = (count: number) => [word(count), ...Array.from({ length: count }, () => word(32 * count))];

describe("data whose parts overlap", () => {
  it("is refused before it is decoded where it describes more than twice as much as it holds", () => {
    const started = performance.now();
    const refused: Array<[type: string, data: Hex]> = [
      ["bytes[]", overlapping(3_500, 100_000)],
      ["string[]", overlapping(500, 100_000)],
      // Lists of one list that is the same each time, down to an empty one.
      ["uint256[][][]", concatHex([word(32), ...pointersTo(900), ...pointersTo(900), word(0)])],
      // Values without bytes, of which a word can say that there are many.
      ["uint256[0][]", concatHex([word(32), word(60), "0x"])],
    ];
    for (const [type, data] of refused) {
      const read = () => decodeRaw([{ name: "a", type }], data, "params");
      should(read).throw(/parts of it overlap/);
    }
    const event = {
      ...({ type: "event", name: "E", anonymous: true } as const),
      inputs: [{ name: "a", type: "bytes[]", indexed: false }],
    };
    should(() => logParams(event, { topics: [], data: overlapping(3_500, 100_000) })).throw(
      /its data does not decode/,
    );
    should(performance.now() - started).be.below(1_000);
  });

  it("is read where it describes no more, as usual encodings do", () => {
    const shared = decodeRaw([{ name: "a", type: "bytes[]" }], overlapping(2, 64), "params");
    should(shared).eql([[ALL_BYTES(64), ALL_BYTES(64)]]);
    const types =
      "(uint8,(bool,(bytes1,string)[]))[2], ((((uint256)))), bytes[][], uint8[3][], string, (string,string)[]";
    const inner = ["0x01", ""] as const;
    const values = [
      [
        [1, [true, [inner, inner]]],
        [2, [false, []]],
      ],
      [[[[5n]]]],
      [[], ["0x"], ["0x", "0x01"]],
      [[1, 2, 3]],
      "",
      [["", ""]],
    ];
    const parameters = parseAbiParameters(types);
    const data = encodeAbiParameters(parameters, values as never);
    const named = parameters.map((parameter) => ({ name: "", ...parameter }));
    should(decodeRaw(named as never, data, "params")).be.an.Array();
  });
});
