import { createRequire } from "node:module";
import { encodeBytes32String, Interface } from "ethers";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { checkValue } from "../../nodes/common/admin/abi.ts";
import { nodeRedContext } from "../../nodes/common/context.ts";
import { encodeContractCall } from "../../nodes/common/contracts/calls.ts";
import { fitsBytes } from "../../nodes/common/shared/chain.ts";
import { previewCalls } from "../../nodes/submit-operation/admin/preview-calls.ts";
import * as library from "../../src/index.ts";

const ADDRESS = "0x00000000000000000000000000000000DeaDBeef";
const HASH = `0x${"5e".repeat(32)}`;
const FUNCTION = "record(bytes32)";
const ABI = "function record(bytes32 sensor)";
const { util } = createRequire(import.meta.url)("@node-red/util");

const contract = {
  ...{ chainSelector: "1", address: ADDRESS, decimals: undefined, problem: undefined },
  abi: () => Promise.resolve(library.parseAbi(ABI)),
};
/** As much of Node-RED as a call needs. */
const RED = {
  _: (key: string) => key,
  events: {},
  nodes: { getNode: (id: string) => (id === "contract" ? { contract } : null) },
  util,
} as unknown as NodeAPI;

const call = (value: string, type: string) => ({
  ...{ kind: "contract" as const, contract: "contract", function: FUNCTION },
  args: [{ value, type }],
});

/** What the node sends for a value of its form, or of a message. */
async function sent(value: unknown, type = "str"): Promise<unknown> {
  const stored = call(type === "str" ? String(value) : "payload", type);
  const { data } = await encodeContractCall(
    { RED, node: {} as Node, t: RED._ },
    { payload: value } as never,
    stored,
    "args",
    {} as never,
  );
  return new Interface([ABI]).decodeFunctionData("record", data)[0];
}

const checked = (value: string, type = "bytes32", more = {}) =>
  checkValue(library, { name: "sensor", type, value, valueType: "str", ...more });

async function previewed(value: string) {
  const contracts = { contract: { name: "registry", chainSelector: "1", address: ADDRESS, abi: ABI } };
  const [shown] = await previewCalls(nodeRedContext(RED), { calls: [call(value, "str")], contracts });
  return shown?.args?.[0];
}

/** A value for bytes: text or hex. */
describe("bytes in a form", () => {
  it("mean the same in the check, the preview and the node", async () => {
    for (const text of ["hello", "Grüße", "数字", "🚀", " a ", "12"]) {
      const hex = encodeBytes32String(text);
      const count = Buffer.byteLength(text);
      should(checked(text)).deepEqual({ bytes: { count, hex } });
      should(await previewed(text)).containEql({ text: hex, typed: text });
      should(await sent(text)).equal(hex);
      should(await sent(text, "msg")).equal(hex);
      should(fitsBytes(text, "32")).be.true();
    }
    should(checked(HASH)).deepEqual({ bytes: { count: 32 } });
    should(await previewed(HASH))
      .containEql({ text: HASH })
      .and.not.have.property("typed");
    should(await sent(HASH)).equal(HASH);
    should(await sent(Buffer.from(HASH.slice(2), "hex"), "msg")).equal(HASH);
    should(await sent(new Uint8Array(32).fill(0x5e), "msg")).equal(HASH);
    should(fitsBytes(HASH, "32")).be.true();
  });

  it("are refused alike where they are empty, too long, or hex with a mistake", async () => {
    for (const [value, says] of [
      ["", /is empty/],
      ["x".repeat(33), /room for 32 bytes, but the text has 33/],
      [HASH.slice(2), /put 0x in front/],
      [HASH.slice(0, -2), /must have 32 bytes, but has 31/],
      ["0xzz", /must be bytes: 0x/],
    ] as const) {
      should(() => checked(value)).throw(says, { code: "INVALID_ARGUMENT" });
      should((await previewed(value))?.problem).match(says);
      await should(sent(value)).be.rejectedWith(says, { code: "INVALID_ARGUMENT" });
      await should(sent(value, "msg")).be.rejectedWith(says, { code: "INVALID_ARGUMENT" });
      should(fitsBytes(value, "32")).be.false();
    }
    await should(sent(Buffer.alloc(31), "msg")).be.rejectedWith(/must have 32 bytes, but has 31/);
  });

  it("are hex only for call data", () => {
    should(() => checked("hello", "bytes", { hexOnly: true })).throw(/^sensor must be bytes: 0x/);
    should(checked("0x01", "bytes", { hexOnly: true })).deepEqual({ bytes: { count: 1 } });
    should(checked("hello", "bytes")).deepEqual({ bytes: { count: 5, hex: "0x68656c6c6f" } });
    should(() => checked("ab".repeat(20), "bytes")).throw(/^sensor looks like hex without its prefix/);
    should(fitsBytes("ab".repeat(20), "")).be.false();
    should(fitsBytes("cafe", "")).be.true();
  });
});
